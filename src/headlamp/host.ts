import type { KubernetesFields } from './workload.ts'

// The parts of Headlamp that the plugin uses, as 0.45.0 has them: the global `pluginLib` of frontend/src/plugin/index.ts,
// registry.tsx, components/common/Resource/ResourceTable.tsx, lib/k8s/api/v1/clusterRequests.ts. They are written here
// because @kinvolk/headlamp-plugin, which has their types, brings 1,300 packages: Storybook, Vite, Monaco, MUI.

/** An object of the cluster in Headlamp's wrapper; `cluster` is its name in Headlamp. */
export interface Item {
  readonly jsonData: KubernetesFields
  readonly cluster: string
}

/** `getValue` is for sorting and filters. */
export interface Column {
  readonly id: string
  readonly label: string
  readonly getValue: (item: Item) => string
  readonly render: (item: Item) => unknown
}

/** Headlamp's own columns are often just names. */
export interface Table {
  readonly id: string
  readonly columns: readonly (Column | string)[]
}

type Components = 'AuthVisible' | 'NameValueTable' | 'SectionBox' | 'SimpleTable' | 'StatusLabel'

export interface Host {
  readonly React: {
    readonly createElement: (type: unknown, props: object | null, ...children: readonly unknown[]) => unknown
    useState<T>(first: T): [value: T, set: (next: T) => void]
    useEffect(effect: () => () => void, rests: readonly unknown[]): void
  }
  readonly CommonComponents: Readonly<Record<Components, unknown>>
  readonly MuiMaterial: { readonly Button: unknown }
  readonly ApiProxy: {
    /** With `isJSON: false` it resolves with the Response; it rejects with an Error that has the cluster's message. */
    clusterRequest(path: string, params: object, query: Readonly<Record<string, string>>): Promise<Response>
  }
  registerResourceTableColumnsProcessor(processor: (table: Table) => Table['columns']): void
  registerDetailsViewSection(section: (props: { readonly resource: Item | null }) => unknown): void
}
