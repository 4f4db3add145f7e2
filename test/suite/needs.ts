import { definitions } from '../chart/custom-resources.ts'
import { chromiumProgram } from '../console/chromium.ts'
import { realControlPlane } from '../control-plane/build.ts'
import { prometheus } from '../dashboards/prometheus.ts'
import { argoCdHealth } from '../go-programs/argo-cd-health.ts'
import { argoRollouts } from '../go-programs/argo-rollouts.ts'
import { etcdutl } from '../go-programs/etcdutl.ts'
import { haproxyIngress, skipper, traefikRule } from '../go-programs/ingress-controllers.ts'
import { kubeProxyRule } from '../go-programs/kube-proxy-rule.ts'
import { actionlint, helm, helmUnittest } from '../go-programs/go-program.ts'
import { KEDA_VERSIONS, keda } from '../go-programs/keda.ts'
import { kubectls } from '../go-programs/kubectls.ts'
import { imageTools } from '../image/programs.ts'
import { cnpgOperator, eckOperator, rabbitmqOperator } from '../go-programs/operators.ts'
import { schemathesis, zizmor } from '../python-programs/python-program.ts'
import { formerCommit } from '../support/former-release.ts'
import { kubectl } from '../support/kubectl.ts'
import { promtool } from '../support/promtool.ts'
import { haproxy } from '../traffic/haproxy-ingress.ts'
import type { Need } from './need.ts'

/** All that `npm run test:all` runs with. */
export const OF_ALL: readonly Need<unknown>[] = [
  kubectl,
  realControlPlane,
  kubeProxyRule,
  kubectls,
  helm,
  helmUnittest,
  actionlint,
  definitions,
  zizmor,
  chromiumProgram,
  promtool,
  prometheus,
  imageTools,
  formerCommit,
]

/** The needs of `npm run test:long` beside that. */
export const OF_LONG: readonly Need<unknown>[] = [
  ...OF_ALL,
  etcdutl,
  schemathesis,
  ...KEDA_VERSIONS.map((version) => keda(version)),
  argoRollouts,
  argoCdHealth,
  rabbitmqOperator,
  eckOperator,
  cnpgOperator,
  skipper,
  haproxy,
  haproxyIngress,
  traefikRule,
]

/** Says what is there and what is to be gotten, and gets it, one after the other. @throws Error that says why it cannot be had */
export async function provideAll(
  needs: readonly Need<unknown>[],
  say: (line: string) => void,
): Promise<void> {
  const missing = needs.filter((need) => need.find() === undefined)
  for (const { phrase, gotten, provide } of missing)
    say(
      `not there: what runs ${phrase}; ${provide ? 'now ' : 'its tests are left out, unless it is '}${gotten}`,
    )
  for (const { phrase, provide } of missing) {
    await provide?.(say).catch((error: Error) => say(`left out is what runs ${phrase}: ${error.message}`))
  }
}
