import type { Config } from '../service/config/config.ts'

/** The place of the keys of states: a file, the Secret of this name, or nowhere (undefined): then states are not signed. */
export function keptIn({ stateKeyFile, stateKeySecret, webhook }: Config) {
  if (stateKeyFile !== null) return { file: stateKeyFile }
  return webhook.certificates.mode === 'files' ? undefined : { secret: stateKeySecret }
}

export const NOT_SIGNED =
  'states are not signed, so each is believed, whoever wrote it: with webhook.certificates.mode: files the service ' +
  'keeps no Secret, and stateKeyFile names no file with keys'
