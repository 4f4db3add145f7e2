import { systemClock } from '../process/clock.ts'
import { columnsFor } from './columns.ts'
import type { Host } from './host.ts'
import { sectionFor } from './section.ts'

// Headlamp runs it once; its libraries are in the global `pluginLib`.
const { pluginLib: host } = globalThis as unknown as { readonly pluginLib: Host }
host.registerResourceTableColumnsProcessor(columnsFor(host, systemClock))
host.registerDetailsViewSection(sectionFor(host, systemClock))
