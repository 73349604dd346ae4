import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/node.js'
import { folderOf } from '../support/temporary-folder.js'
import { expectAllOperations, expectedOutcome, gameServer } from '../hosts/support/sidecar.js'
import { root } from '../support/source.js'
import { calls } from '../support/with-sidecar.js'
import { dev, project } from '../vite/support.js'
import { inEachBrowser } from './support/each-browser.js'
import { againstRealSidecar, buildGame } from './support/game.js'

const game = buildGame()

/** Starts a gateway that serves the game, and closes it when the test is finished. */
async function serveGame(options: GatewayOptions): Promise<Gateway> {
  const gateway = await createGateway({ dir: game, onWarning: () => {}, ...options })
  onTestFinished(() => gateway.close())
  return gateway
}

/** A WebAssembly module whose `answer()` returns 42. */
const wasm = Buffer.from('0061736d010000000105016000017f030201000' + '70a0106616e7377657200000a06010400412a0b', 'hex')

const CLIENT = 'dist/gameserver-sidecar.umd.js'

const PLAY = `async function play() {
  const sidecar = GameServerSidecar.createClient()
  const connected = new Promise((told) => {
    sidecar.on('connection', ({ state }) => { if (state === 'connected') told() })
  })
  sidecar.on('gameserver', () => {})
  await sidecar.ready()
  const { status } = await sidecar.waitFor('Ready')
  await connected
  const { connection, transport, direct } = sidecar.status
  sidecar.close()
  return { state: status.state, connection, transport, direct }
}`

const build = {
  'index.html':
    '<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="script-src \'self\' \'wasm-unsafe-eval\'">' +
    '<title>Game</title><script src="client.js"></script><script src="game.js"></script></head></html>',
  'game.js': `${PLAY}
    async function load(name) {
      const { instance } = await WebAssembly.instantiateStreaming(fetch(name))
      return instance.exports.answer()
    }
    const inWorker = () => new Promise((told, failed) => {
      const worker = new Worker('worker.js')
      worker.onerror = failed
      worker.onmessage = ({ data }) => told(data)
    })`,
  'worker.js': 'postMessage({ isolated: globalThis.crossOriginIsolated, shared: typeof SharedArrayBuffer })',
  'plain.wasm': wasm,
  'beside.wasm': wasm,
  'beside.wasm.br': brotliCompressSync(wasm),
  'beside.wasm.gz': gzipSync(wasm),
  'named.wasm.br': brotliCompressSync(wasm),
  'named.wasm.gz': gzipSync(wasm),
}

async function serveIsolated(): Promise<string> {
  const dir = await folderOf(build)
  await copyFile(join(root, CLIENT), join(dir, 'client.js'))
  return (await serveGame({ dir, isolate: true, local: { mode: 'local' } })).url
}

const PLAYED = { state: 'Ready', connection: 'connected', transport: 'websocket', direct: false }

inEachBrowser((browser) => {
  describe('a page of a gateway, without options,', () => {
    test.each([
      ['umd', 'websocket', 'production'],
      ['esm', 'stream', 'local'],
    ] as const)('does all operations with the %s build and watches by %s, in %s mode', async (...given) => {
      const [build, watch, mode] = given
      const gateway = await serveGame({ local: { mode, gameServer } })
      const page = await browser.open(`${gateway.url}/${build}.html`)
      expectAllOperations(await page.run(`play({ watch: '${watch}' })`), watch, gateway.local!)
    })

    test('does all operations in a worker, and watches by stream', async () => {
      const gateway = await serveGame({ local: { mode: 'local', gameServer } })
      const page = await browser.open(`${gateway.url}/workers.html?gateway`)
      const outcome = await page.run(`runInWorker('dedicated', 'esm', 'play', { watch: 'stream' })`)
      expectAllOperations(outcome, 'stream', gateway.local!)
    })

    againstRealSidecar((start) => {
      test.each(['websocket', 'stream'] as const)('does all operations and watches by %s', async (watch) => {
        const { url } = await start()
        const gateway = await serveGame({ sidecar: url })
        const page = await browser.open(`${gateway.url}/umd.html`)
        expect(await page.run(`play({ watch: '${watch}' })`)).toEqual(expectedOutcome(watch))
      })
    })
  })

  test('an isolated page with a policy of its own plays, and compiles WebAssembly from a stream in each compression', async () => {
    const page = await browser.open(await serveIsolated())
    expect(await page.run('crossOriginIsolated')).toBe(true)
    expect(await page.run('inWorker()')).toEqual({ isolated: true, shared: 'function' })
    expect(await page.run('play()')).toEqual(PLAYED)
    for (const name of ['plain.wasm', 'beside.wasm', 'named.wasm.gz', 'named.wasm.br']) {
      expect(await page.run(`load('${name}')`), name).toBe(42)
    }
  })

  // The rest is JavaScript that runs alike in every engine.
  if (browser.name !== 'Chromium') return

  test('a page gets the signal of a gateway that stops, and may still shut the game server down', async () => {
    const gateway = await serveGame({ local: { mode: 'local', gameServer } })
    const page = await browser.open(`${gateway.url}/umd.html`)
    await page.run('shutDownAtSignal()')
    const closed = gateway.close('SIGTERM')
    expect(await page.run('shutDown')).toEqual(['SIGTERM', 'accepted'])
    await closed
    expect(calls(gateway.local!)).toContain('shutdown')
  })

  test('a page sends heartbeats if the gateway has autoHealth', async () => {
    const gateway = await serveGame({ autoHealth: true, local: { mode: 'local', gameServer } })
    const page = await browser.open(`${gateway.url}/umd.html`)
    await page.run('untilBeats(2)')
    expect(calls(gateway.local!).filter((name) => name === 'health').length).toBeGreaterThanOrEqual(2)
  })

  test("a page of Vite's development server reaches the sidecar without options", async () => {
    const folder = await project({
      'index.html':
        '<!doctype html><html><head><script src="/client.js"></script><script src="/play.js"></script></head></html>',
      'public/play.js': PLAY,
      'public/.keep': '',
    })
    await copyFile(join(root, CLIENT), join(folder, 'public/client.js'))
    const { url } = await dev({ local: { mode: 'local' } }, { root: folder })
    const page = await browser.open(url)
    expect(await page.run('play()')).toEqual(PLAYED)
  })
})
