import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { browserNames, findBrowser, type BrowserName } from '../browsers/support/installed.js'
import { runScript, type Run } from '../cli/support.js'
import { processes, type ProcessInfo } from '../host/support/processes.js'
import { root } from '../support/source.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { connectPlayer } from './player.js'

const DEMO = join(root, 'demo/browser/run.mjs')
const LONG = 180_000

/** Variables that name the players' browser. Without `CHROMIUM`, the host takes the lightest browser. */
const browserVariables = (players: BrowserName = 'Chromium'): NodeJS.ProcessEnv => ({
  FIREFOX: undefined,
  [players.toUpperCase()]: findBrowser(players),
})

/** Gives the demo its own temporary folder, so a test can see the files it leaves. */
const start = (temporary: string, args: readonly string[], players?: BrowserName): Run =>
  runScript(DEMO, args, { ...browserVariables(players), TMPDIR: temporary })

/** The address that the demo prints for players' pages. */
const siteOf = async ({ line }: Run): Promise<string> => (await line(/Players join at: +(http:\S+\/)/))[1]!

async function serverOf(site: string): Promise<string | undefined> {
  const response = await fetch(new URL('server', site))
  return ((await response.json()) as { address?: string }).address
}

/** Whether this system tells which processes there are. */
const seesProcesses = process.platform === 'linux'

/** All descendants of a process. */
function startedBy(pid: number, all = processes()): ProcessInfo[] {
  return all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...startedBy(child.pid, all)])
}

const hasChromium = findBrowser('Chromium') !== undefined
if (!hasChromium) console.warn('There is no Chromium here, so the demo is SKIPPED')

describe.skipIf(!hasChromium)('npm run demo:host', () => {
  const steps = [
    /host +players come in at ws:\/\/127\.0\.0\.1:\d+$/,
    /watch +state +Scheduled$/,
    /host +the page has made its first step/,
    /watch +label +map = harbour$/,
    /watch +state +RequestReady → Ready$/,
    /player +#1 is connected$/,
    /platform +allocates it for 3 s$/,
    /watch +state +Ready → Allocated$/,
    /watch +annotation +star-arena\/seconds = 3$/,
    /page +The match is over: ((Ada|Grace) wins|A draw of \w+ and \w+|Nobody caught a star)$/,
    /watch +state +Allocated → Shutdown$/,
    /host +tells the page to end: SIGTERM$/,
    /exit +0: /,
    /player +Ada's page shows: 1\. (Ada|Grace), \d+ stars?; 2\. (Ada|Grace), \d+ stars?$/,
    /^Every step came/,
  ]

  for (const name of browserNames) {
    const installed = findBrowser(name) !== undefined
    if (!installed) console.warn(`There is no ${name} here, so players in it are SKIPPED`)

    test.skipIf(!installed)(
      `with players in ${name}: a hosted page serves one match to them, from Scheduled to Shutdown and exit 0`,
      async () => {
        const temporary = await temporaryFolder('gameserver-demo')
        const picture = join(temporary, 'picture.png')
        const { code, out, err } = await start(temporary, ['--once', '--screenshot', picture], name).finished
        const lines = out.split('\n')
        expect(err).toBe('')
        expect(inOrder(lines, steps)).toEqual(steps)
        for (const both of [/counter +players 2 of 8$/, /list +roster 2 of 8 /]) {
          expect(lines).toContainEqual(expect.stringMatching(both))
        }
        expect(lines.filter((line) => / trouble /.test(line))).toEqual([])
        // On a busy machine three seconds may go by without a star, and then nobody wins.
        const said = (pattern: RegExp): boolean => lines.some((line) => pattern.test(line))
        expect(said(/watch +annotation +winner = (Ada|Grace)/)).toBe(!said(/Nobody caught a star/))
        expect(code).toBe(0)
        expect(widthAndHeight(readFileSync(picture))).toEqual([1280, 900])
        expect(readdirSync(temporary)).toEqual(['picture.png'])
      },
      LONG,
    )
  }

  test.skipIf(!seesProcesses)(
    'players come from its own page alone, and are told and find the next server when the page crashes in a match',
    async () => {
      const temporary = await temporaryFolder('gameserver-demo')
      const demo = start(temporary, ['--no-once', '--seconds', '600'])
      const site = await siteOf(demo)
      const first = (await serverOf(site))!
      await expect(connectPlayer(first, 'http://evil.example/', 'Eve')).rejects.toThrow('403')
      for (const path of ['..%2frun.mjs', 'run.mjs', 'constructor']) {
        expect((await fetch(new URL(path, site))).status).toBe(404)
      }
      const [ada, grace] = [await connectPlayer(first, site, 'Ada'), await connectPlayer(first, site, 'Grace')]
      await ada.until(({ type, phase }) => type === 'picture' && phase === 'playing')

      const renderers = startedBy(demo.child.pid!).filter(({ command }) => command.includes('--type=renderer'))
      expect(renderers).not.toEqual([])
      for (const { pid } of renderers) process.kill(pid, 'SIGKILL')

      // By the end of the page's own connection, or by the browser's word on it, whichever is first.
      for (const player of [ada, grace]) expect([1011, 1012]).toContain(await player.closed)
      await demo.line(/The GameServer has failed with exit code 70, and a new one takes its place/)
      const next = await vi.waitFor(
        async () => {
          const address = await serverOf(site)
          expect(address).toMatch(/^ws:/)
          return address!
        },
        { timeout: 60_000, interval: 100 },
      )
      expect(next).not.toBe(first)
      const again = await connectPlayer(next, site, 'Ada')
      await again.until(({ type }) => type === 'joined')
      demo.child.kill('SIGTERM')
      expect((await demo.finished).code).toBe(0)
      expect(readdirSync(temporary)).toEqual([])
    },
    LONG,
  )
})

describe('a demo that can not start', () => {
  test('without a browser for the game server says how to install one, with the exit code of the host', async () => {
    const temporary = await temporaryFolder('gameserver-demo')
    const { code, err } = await start(temporary, ['--once', '--browser', '/nowhere']).finished
    expect(err).toMatch(/^--browser must be the path of a program .*"\/nowhere".* install one: \S+/)
    expect(code).toBe(69)
    expect(readdirSync(temporary)).toEqual([])
  })
})

/** Of a PNG. */
function widthAndHeight(file: Buffer): number[] {
  expect(file.toString('latin1', 1, 4)).toBe('PNG')
  return [file.readUInt32BE(16), file.readUInt32BE(20)]
}

/** The expected patterns that match lines, in the order of the lines. */
function inOrder(lines: readonly string[], expected: readonly RegExp[]): RegExp[] {
  let from = 0
  return expected.filter((pattern) => {
    const found = lines.findIndex((line, i) => i >= from && pattern.test(line))
    if (found >= 0) from = found + 1
    return found >= 0
  })
}
