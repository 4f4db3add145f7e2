import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Need } from '../suite/need.ts'
import { builtOnce } from './built-once.ts'
import { buildCommands, downloadModule, writeBuildModule } from './go-module.ts'

/** The releases of kubectl that the sandbox answers: the oldest that the chart admits, one between, the newest. */
export const KUBECTL_VERSIONS = ['1.30.14', '1.32.3', '1.35.4'] as const
export type KubectlVersion = (typeof KUBECTL_VERSIONS)[number]

const MODULE = 'k8s.io/kubectl'

/** The module is kubectl as a library; its `main` stands in Kubernetes' own module, of which nothing else is needed. */
const MAIN = `package main

import (
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() { util.CheckErr(cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand())) }
`

const ofVersion = (version: KubectlVersion) =>
  builtOnce(
    {
      title: `kubectl ${version}`,
      key: `kubectl-${version}`,
      programs: ['kubectl'],
      takes: 'two minutes',
      build: (into, say) => build(version, into, say),
    },
    (folder) => [version, folder] as const,
  )

/** The folders that have one `kubectl` each, by its release. */
export const kubectls: Need<Readonly<Record<KubectlVersion, string>>> = {
  phrase: 'with three kubectls',
  quick: false,
  gotten: 'built with Go in six minutes on two cores',
  find() {
    const folders = KUBECTL_VERSIONS.map((version) => ofVersion(version).find())
    const there = folders.filter((folder) => folder !== undefined)
    return there.length === folders.length
      ? (Object.fromEntries(there) as Record<KubectlVersion, string>)
      : undefined
  },
  async provide(say) {
    // One after the other: they share most of what is compiled.
    for (const version of KUBECTL_VERSIONS) await ofVersion(version).provide?.(say)
  },
}

async function build(version: KubectlVersion, into: string, say: (line: string) => void): Promise<void> {
  const folder = join(into, 'module')
  await mkdir(folder, { recursive: true })
  await writeBuildModule([await downloadModule(MODULE, version.replace(/^1/, 'v0'))], folder)
  await writeFile(join(folder, 'main.go'), MAIN)
  const ldflags = `-s -w -X k8s.io/component-base/version.gitVersion=v${version}`
  await buildCommands(folder, { commands: ['.'], output: join(into, 'kubectl'), ldflags }, say)
  await rm(folder, { recursive: true, force: true })
}
