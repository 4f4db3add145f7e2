import { spawn } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../process/temporary-folder.ts'

/** By which a system opens a file in the person's browser. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/**
 * Opens an address that holds a secret in the person's browser, if there is one; it was printed already, so a failure
 * is ignored. Every user of the machine can read a process's arguments, so the browser gets a file that leads there and
 * that nobody else may read.
 * @returns removes that file; never rejects
 */
export async function openPage(
  url: string,
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<() => Promise<void>> {
  const [program, ...args] = OPENERS[platform] ?? ['xdg-open']
  // Without a display xdg-open would start a browser for texts in this terminal.
  if (program === 'xdg-open' && !environment['DISPLAY'] && !environment['WAYLAND_DISPLAY'])
    return async () => {}
  let directory: string | undefined
  const forget = async () => {
    if (directory !== undefined) await rm(directory, { recursive: true, force: true }).catch(() => undefined)
  }
  try {
    directory = await temporaryFolder('dormouse-')
    const file = join(directory, 'console.html')
    await writeFile(file, leadingTo(url), { mode: 0o600, flag: 'wx' })
    const child = spawn(program, [...args, file], { stdio: 'ignore', detached: true, env: environment })
    child.on('error', () => undefined)
    child.unref()
  } catch {
    await forget()
  }
  return forget
}

function leadingTo(url: string): string {
  const address = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Dormouse</title>
<a href="${address}">Open the console</a>
`
}
