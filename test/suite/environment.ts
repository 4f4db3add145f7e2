import { mkdtempSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

/** The part of the person's environment that reaches the tests, so that nothing else can change a result. */
const KEPT = [
  'PATH',
  'TMPDIR',
  'USER',
  'LOGNAME',
  'TERM',
  'CI',
  'KUBEBUILDER_ASSETS',
  'NODE_V8_COVERAGE',
  'PROPERTY_RUNS',
  'PROPERTY_SHARE',
  'MODEL_PATH',
]

/** By this, programs of tests that ask npm's registry (the image's build) ask it as the person does. */
const OF_NPM =
  /^(?:npm_config_(?:registry|cafile|proxy|https_proxy)|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i

/**
 * The environment of the processes that run tests: a home of its own, one locale and zone, and none of the person's
 * settings. `asksNpm`: their tests may ask npm's registry.
 */
export function testEnvironment(given: NodeJS.ProcessEnv, asksNpm: boolean) {
  const kept = Object.entries(given).filter(
    ([name]) => KEPT.includes(name) || name.startsWith('DORMOUSE_') || (asksNpm && OF_NPM.test(name)),
  )
  return {
    ...Object.fromEntries(kept),
    ...(asksNpm && { npm_config_userconfig: given['npm_config_userconfig'] ?? join(homedir(), '.npmrc') }),
    DORMOUSE_CACHE:
      given['DORMOUSE_CACHE'] ?? join(given['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'dormouse'),
    HOME: mkdtempSync(join(tmpdir(), 'dormouse-home-')),
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    // Compiled code is kept for the hundred programs that tests start, except for coverage, which it distorts.
    ...(!given['NODE_V8_COVERAGE'] && { NODE_COMPILE_CACHE: join(tmpdir(), 'dormouse-compiled') }),
    // Control plane, kubectl and helm collect garbage a quarter as often: kubectl takes a third less of the processor.
    GOGC: '400',
    // The checkout may belong to somebody else, as where CI runs as root.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
  }
}
