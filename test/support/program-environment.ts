/** The environment of programs that tests start: settings of the tests themselves (`DORMOUSE_WORLD`) do not reach them. */
export function programEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('DORMOUSE_') && name !== 'KUBECONFIG'),
  )
}
