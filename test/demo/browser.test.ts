import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { browserNames, findBrowser, type BrowserName } from '../browsers/support/installed.js'
import { root } from '../support/source.js'
import { inOrder, startDemo, type RunningDemo } from './run-demo.js'

interface Relay {
  readonly url: string
  admit(url: string): void
  close(): void
}

const load = async <T>(name: string): Promise<T> =>
  (await import(pathToFileURL(join(root, 'demo', 'browser', name)).href)) as T

/** A folder that is gone when the test is. */
function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gameserver-demo-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }))
  return folder
}

/** Its files go to a folder of its own, where one can see what it leaves. */
function startIn(name: BrowserName, temporary: string, ...args: string[]): RunningDemo {
  const { path, env } = findBrowser(name)!
  const { CHROMIUM: _chromium, FIREFOX: _firefox, ...others } = process.env
  return startDemo('browser/run.mjs', args, { ...others, ...env, TMPDIR: temporary, [name.toUpperCase()]: path })
}

const leftIn = (temporary: string): string[] => readdirSync(temporary).filter((name) => name.startsWith('star-arena-'))

describe('npm run demo:browser', () => {
  const steps = [
    /gateway +http:\/\/127\.0\.0\.1:\d+\/ serves the game/,
    /watch +state +Scheduled$/,
    /health +the first beat of the page/,
    /watch +label +map = harbour$/,
    /watch +state +RequestReady → Ready$/,
    /platform +allocates it for 3 s$/,
    /watch +state +Ready → Allocated$/,
    /watch +annotation +star-arena\/seconds = 3$/,
    /watch +annotation +winner = (Ada|Grace)$/,
    /watch +state +Allocated → Shutdown$/,
    /player +Ada's page shows: 1\. (Ada|Grace), \d+ stars?; 2\. (Ada|Grace), \d+ stars?$/,
    /^Every step came/,
  ]

  for (const name of browserNames) {
    const installed = findBrowser(name) !== undefined
    if (!installed) console.warn(`There is no ${name} here, so the demo in it is SKIPPED`)

    test.skipIf(!installed)(
      `in ${name}: a page serves one match to two others, from Scheduled to Shutdown`,
      async () => {
        const temporary = scratch()
        const picture = join(temporary, 'picture.png')
        const { code, lines, errors } = await startIn(name, temporary, '--once', '--screenshot', picture).finished
        expect(errors).toBe('')
        expect(inOrder(lines, steps)).toEqual(steps)
        for (const both of [/counter +players 2 of 8$/, /list +roster 2 of 8 /]) {
          expect(lines).toContainEqual(expect.stringMatching(both))
        }
        expect(lines.filter((line) => / trouble /.test(line))).toEqual([])
        expect(code).toBe(0)
        expect(widthAndHeight(readFileSync(picture))).toEqual([1280, 720])
        expect(leftIn(temporary)).toEqual([])
      },
      180_000,
    )
  }

  const installed = browserNames.find((name) => findBrowser(name) !== undefined)

  test.skipIf(installed === undefined)(
    'told to stop in the middle of it, it takes everything down with it',
    async () => {
      const temporary = scratch()
      const { child, said, finished } = startIn(installed!, temporary, '--once', '--seconds', '600')
      await said('Ready → Allocated')
      child.kill('SIGTERM')
      const { code, errors } = await finished
      expect(errors).toBe('Stopped by SIGTERM.\n')
      expect(code).toBe(1)
      expect(leftIn(temporary)).toEqual([])
    },
    180_000,
  )

  test('without any browser it says what to do', async () => {
    const { findBrowser: find } = await load<{ findBrowser(env: object, exists: () => boolean): object }>('browser.mjs')
    expect(() => find({}, () => false)).toThrow(/^There is no browser here: install Chromium or Firefox, or say where/)
    expect(() => find({ FIREFOX: '/nowhere' }, () => false)).toThrow('FIREFOX names no file: /nowhere')
  })

  test('a port that is taken ends it in one sentence and exit code 1', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo
    const { code, errors } = await startDemo('browser/run.mjs', ['--once', '--port', String(port)]).finished
    expect(errors).toBe(`Port ${port} is already in use; choose another with --port.\n`)
    expect(code).toBe(1)
  }, 60_000)

  test('an option that makes no sense ends in one sentence and exit code 1', async () => {
    const { code, errors } = await startDemo('browser/run.mjs', ['--seconds', '0']).finished
    expect(errors).toBe('--seconds must be a whole number from 1 to 3600, not 0.\n')
    expect(code).toBe(1)
  })
})

describe('its relay', () => {
  test('lets in players from its own page and the game server from the gateway, and no other page', async () => {
    const { startRelay } = await load<{ startRelay(): Promise<Relay> }>('relay.mjs')
    const relay = await startRelay()
    onTestFinished(() => relay.close())
    const own = new URL(relay.url).origin
    const gateway = 'http://127.0.0.1:9'
    const opens = (path: string, origin: string): Promise<boolean> =>
      new Promise((resolve) => {
        const socket = new WebSocket(new URL(path, relay.url), { origin })
        socket.on('open', () => resolve(true))
        socket.on('error', () => resolve(false))
      })
    expect(await opens('/host', gateway)).toBe(false)
    relay.admit(`${gateway}/`)
    expect(await opens('/host', gateway)).toBe(true)
    expect(await opens('/', own)).toBe(true)
    expect(await opens('/host', own)).toBe(false)
    expect(await opens('/', 'http://evil.example')).toBe(false)
    expect(await opens('/elsewhere', own)).toBe(false)
    expect((await fetch(new URL('/..%2frelay.mjs', relay.url))).status).toBe(404)
  })
})

/** Of a PNG. */
function widthAndHeight(file: Buffer): number[] {
  expect(file.toString('latin1', 1, 4)).toBe('PNG')
  return [file.readUInt32BE(16), file.readUInt32BE(20)]
}
