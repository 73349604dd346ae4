import { dirname } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFile } from '../support/temporary-folder.js'
import { flagName, readLine, signature } from '../../src/cli/flags.js'
import { loadCommands } from '../../src/cli/main.js'
import { run } from './support.js'

/** What a command line sets, by the flags of its command. */
async function valuesOf(command: string, ...words: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const { flags } = (await loadCommands()).find(({ name }) => name === command)!
  const { given, values } = readLine(words, flags, (flag) => new Error(`There is no ${flag}`))
  return Object.fromEntries([...given].map((name) => [name, values[name]]))
}

const scheme: readonly (readonly [command: string, written: readonly string[], main: string])[] = [
  ['local', ['--port', '--http-port', '-p'], 'port'],
  ['exec', ['--port', '-p'], 'port'],
  ['serve', ['--port', '-p'], 'port'],
  ['serve', ['--sidecar-port'], 'sidecarPort'],
  ['host', ['--port', '--players-port', '-p'], 'playersPort'],
  ['host', ['--sidecar-port'], 'sidecarPort'],
  ['fleet', ['--port', '-p'], 'port'],
  ['demo', ['--port', '-p'], 'port'],
]
test.each(scheme)('%s takes %j for one port', async (command, written, main) => {
  for (const flag of written) expect(await valuesOf(command, flag, '7001')).toEqual({ [main]: 7001 })
})

test.each(['--players-port', '--ports'])('fleet takes the range of its players by %s', async (flag) => {
  expect(await valuesOf('fleet', flag, '7000-7010')).toEqual({ playersPort: [7000, 7010] })
})

test.each(['local', 'exec', 'serve', 'fleet', 'demo'])(
  '%s takes --open, --no-open and --log-format',
  async (command) => {
    expect(await valuesOf(command, '--open')).toEqual({ open: true })
    expect(await valuesOf(command, '--no-open', '--log-format', 'json')).toEqual({ open: false, logFormat: 'json' })
  },
)

test('no command has a name twice', async () => {
  for (const { flags } of await loadCommands()) {
    const names = Object.entries(flags).flatMap(([name, { also = [] }]) => [flagName(name).slice(2), ...also])
    expect(names).toEqual([...new Set(names)])
  }
})

interface Line {
  readonly event: string
  readonly url?: string
}
const linesOf = (text: string): Line[] => text.split('\n').map((line) => JSON.parse(line) as Line)

test('exec --log-format json writes each line of its own to stderr as JSON, and none to stdout', async () => {
  const game = "fetch('http://127.0.0.1:' + process.env.AGONES_SDK_HTTP_PORT + '/gameserver')"
  const { code, out, err } = await run('exec', '-p', '0', '--log-format', 'json', '--', process.execPath, '-e', game)
    .finished
  expect({ code, out }).toEqual({ code: 0, out: '' })
  const lines = linesOf(err)
  expect(lines[0]).toMatchObject({ event: 'listening', url: expect.stringMatching(/^http:/) as string })
  expect(lines.map(({ event }) => event)).toContain('call')
})

test('serve --log-format json begins with the address of the page', async () => {
  const page = dirname(await temporaryFile('index.html', '<!doctype html>'))
  const serve = run('serve', page, '--local', '--port', '0', '--sidecar-port', '0', '--log-format', 'json')
  const { input } = await serve.line(/./)
  expect(linesOf(input)).toMatchObject([{ event: 'listening', dashboard: expect.stringMatching(/\/_\/$/) as string }])
  serve.stop('SIGTERM')
  expect((await serve.finished).code).toBe(0)
})

test('--open without a display says which address to open', async () => {
  vi.stubEnv('CI', 'true')
  onTestFinished(() => void vi.unstubAllEnvs())
  const local = run('local', '--port', '0', '--open')
  await local.errorLine(/^No browser could be opened; open http:\S+\/_\/ yourself\.$/)
})

test('host has at most 25 options; --help names all, and help host --all explains them', async () => {
  const [short, whole] = await Promise.all(
    [run('host', '--help'), run('help', 'host', '--all')].map((one) => one.finished),
  )
  const explained = (text: string): number => text.match(/^ {2}-/gm)!.length
  const { flags } = (await loadCommands()).find(({ name }) => name === 'host')!
  expect(Object.keys(flags).length).toBeLessThanOrEqual(25)
  expect(explained(whole!.out)).toBe(Object.keys(flags).length + 1)
  for (const name of Object.keys(flags)) expect(short!.out).toContain(signature(name, flags[name]!))
})
