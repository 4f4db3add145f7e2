import { createHash } from 'node:crypto'
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { basename, dirname, join } from 'node:path'

/**
 * `node stand-ins.ts STATE PROGRAM ARGS…` behaves as the program does towards the release workflow, without a network.
 * STATE is a folder: `calls` gets a line for each call; `registry` has what was pushed, a file for each reference, and
 * `refused`, if it is there, what the registry says instead of an answer; `private` has the references that ask for a
 * login; `npm` and `release` have what was published; `settings.json` says where real programs are.
 */
const [state = '', program = '', ...args] = process.argv.slice(2)
const at = (...names: string[]) => join(state, ...names)
const settings = JSON.parse(readFileSync(at('settings.json'), 'utf8')) as Readonly<Record<string, string>>

/** Ends the program as one that failed, with a message. */
function fail(message: string): never {
  throw new Error(message)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** The value of an option, `--name value`. */
function option(name: string): string {
  const place = args.indexOf(name)
  return place === -1 ? fail(`${program}: no ${name}`) : (args[place + 1] ?? '')
}

function digestOf(file: string): string {
  return `sha256:${createHash('sha256').update(readFileSync(file)).digest('hex')}`
}

/** The file of a reference such as `docker://ghcr.io/a/b:1.2.3`. */
function stored(reference: string): string {
  return at('registry', reference.replace(/^(?:docker|oci):\/\//, '').replaceAll('/', '+'))
}

/** The same, if it is there and may be read: without a login only what is public. */
function published(reference: string): string {
  const file = stored(reference)
  const isIn = existsSync(join(process.env['HOME'] ?? '', 'logged-in'))
  if (existsSync(at('refused'))) fail(readFileSync(at('refused'), 'utf8'))
  if (existsSync(at('private')) && !isIn) fail('denied')
  return existsSync(file) ? file : fail(`reading manifest of ${reference}: manifest unknown`)
}

function push(file: string, reference: string): string {
  if (!existsSync(join(process.env['HOME'] ?? '', 'logged-in'))) fail('denied')
  copyFileSync(file, stored(reference))
  return digestOf(file)
}

function logIn(): void {
  if (readFileSync(0, 'utf8').trim() !== 'token') fail('unauthorized')
  writeFileSync(join(process.env['HOME'] ?? '', 'logged-in'), '')
}

/** Runs a real program, and ends as it does. */
function really(file: string, words: readonly string[] = args): void {
  process.exitCode = spawnSync(file, words, { stdio: 'inherit' }).status ?? 1
}

const version = () => (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version

const PROGRAMS: Readonly<Record<string, () => void>> = {
  skopeo() {
    const [verb, ...rest] = args
    const [source = '', target = ''] = rest.filter((each) => !each.startsWith('--'))
    const file = source.startsWith('docker:') ? published(source) : source.replace(/^oci-archive:/, '')
    if (!existsSync(file)) fail(`open ${file}: no such file or directory`)
    if (verb === 'inspect') process.stdout.write(readFileSync(file))
    else if (target.startsWith('docker:')) push(file, target)
    else copyFileSync(file, target.replace(/^docker-archive:/, '').split(':')[0] ?? '')
  },
  helm() {
    const [verb, first = ''] = args
    if (verb === 'registry') return logIn()
    if (verb === 'push') {
      const tag = basename(first, '.tgz').replace('dormouse-', 'dormouse:')
      return process.stderr.write(`Pushed: ${tag}\nDigest: ${push(first, `${args[2]}/${tag}`)}\n`)
    }
    if (verb === 'pull') {
      const file = published(`${first}:${option('--version')}`)
      copyFileSync(file, join(option('--destination'), `dormouse-${option('--version')}.tgz`))
      return say(`Pulled: ${first}\nDigest: ${digestOf(file)}`)
    }
    if (settings['helm']) return really(settings['helm'])
    const own = () => /^version: (.*)$/m.exec(readFileSync(join(first, 'Chart.yaml'), 'utf8'))?.[1]
    if (verb === 'package')
      spawnSync('tar', [
        '-czf',
        join(option('--destination'), `dormouse-${own()}.tgz`),
        '-C',
        dirname(first),
        'dormouse',
      ])
    else if (verb === 'template') say(`image: ghcr.io/dormouse-dev/dormouse:${version()}`)
  },
  docker() {
    const [verb, ...rest] = args
    if (verb === 'login') logIn()
    else if (verb === 'pull') say(published(args.at(-1) ?? ''))
    else if (verb === 'create') say('container')
    else if (verb === 'run') say(args.at(-1) === '--version' ? version() : 'done')
    else if (verb === 'cp') {
      const [from = '', to = ''] = rest
      // The program that the Dockerfile builds, and a Node.
      if (from.endsWith('/node')) return copyFileSync(process.execPath, to)
      really(process.execPath, ['build.ts'])
      if (process.exitCode !== 0) return
      mkdirSync(to, { recursive: true })
      cpSync('dist', join(to, 'dist'), { recursive: true })
      copyFileSync('package.json', join(to, 'package.json'))
    } else if (verb === 'buildx' && rest[0] === 'imagetools') {
      published(rest[2] ?? '')
      say('{"packages": []}')
    } else if (verb === 'buildx' && args.includes('--output')) {
      const file = option('--output').replace('type=oci,dest=', '')
      writeFileSync(file, `an index, made at ${process.hrtime.bigint()}`)
    }
  },
  gh() {
    const [noun, verb, first = ''] = args
    if (process.env['GH_TOKEN'] !== 'token') fail('gh: not logged in')
    const release = at('release')
    const draft = at('release', 'draft')
    if (noun === 'attestation') {
      if (first.startsWith('oci:')) published(first)
      else if (!existsSync(first)) fail(`no file ${first}`)
    } else if (verb === 'view') {
      if (!existsSync(release)) fail('release not found')
      say(String(existsSync(draft)))
    } else if (verb === 'delete') rmSync(release, { recursive: true })
    else if (verb === 'create') {
      mkdirSync(release)
      writeFileSync(draft, '')
      copyFileSync(option('--notes-file'), at('release', 'notes'))
      for (const file of args.filter((each) => each.startsWith('assets/')))
        copyFileSync(file, at('release', basename(file)))
    } else if (verb === 'edit') {
      if (!existsSync(draft)) fail('release not found')
      rmSync(draft)
    }
  },
  npm() {
    const [verb, first = ''] = args
    const file = () => at('npm', first.replaceAll('@', '-'))
    if (verb === 'ci') return
    if (verb === 'view') {
      if (existsSync(at('refused'))) fail(readFileSync(at('refused'), 'utf8'))
      if (!existsSync(at('npm'))) fail('npm error code E404')
      if (!first.includes('@')) say(first)
      else if (existsSync(file()))
        say(`sha512-${createHash('sha512').update(readFileSync(file())).digest('base64')}`)
      else fail('npm error code E404\nnpm error 404 No match found for that version')
    } else if (verb === 'publish') {
      copyFileSync(first, at('npm', basename(first, '.tgz')))
    } else really(settings['npm'] ?? 'npm')
  },
  strip() {},
  codesign() {},
}

appendFileSync(at('calls'), `${JSON.stringify([program, ...args])}\n`)
try {
  PROGRAMS[program]?.()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
