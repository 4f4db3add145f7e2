import { spawn } from 'node:child_process'

/** By which a system opens an address in the person's browser. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens a page in the browser, where there is one; the address was printed, so that a failure says nothing. */
export function openPage(
  url: string,
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const [program, ...args] = OPENERS[platform] ?? ['xdg-open']
  // Without a display xdg-open would start a browser for texts in this terminal.
  if (program === 'xdg-open' && !environment['DISPLAY'] && !environment['WAYLAND_DISPLAY']) return
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}
