import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import type { HostEvent } from '../../src/node/host/host-events.js'
import { noBrowser } from './support/processes.js'
import { buildOf, pageOf, runHost, type HostProcess } from './support/run-host.js'

if (noBrowser !== undefined) console.error(`The tests of bad pages are SKIPPED: ${noBrowser}`)

const TICKS = `setInterval(() => gameServerHost.tick(), 16)`
const WORKER = (script: string): string => `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(script)}])))`

const run = async (script: string, ...args: string[]): Promise<HostProcess> =>
  runHost([await pageOf(script), '--local', '--restarts', '0', ...args])

const linesOf = ({ events }: HostProcess): string[] =>
  events.flatMap((event: HostEvent) => (event.event === 'console' ? [`${event.level} ${event.text}`] : []))

const line = (host: HostProcess, text: string | RegExp): Promise<unknown> =>
  host.until('console', (event) => (typeof text === 'string' ? event.text === text : text.test(event.text)))

/** The host ends in order: the page is as alive as before. */
async function endsInOrder(host: HostProcess): Promise<void> {
  host.signal('SIGTERM')
  expect(await host.exited).toBe(0)
}

describe.skipIf(noBrowser !== undefined)('a bad page', () => {
  describe('that ends its match ends the host', () => {
    const MEMORY = /^The page takes \d+ MB of memory, and may take 95 MB; --max-memory/
    const SMALL = ['--max-memory', '100000000']

    test.each<[string, string, string[], number, RegExp]>([
      [
        'it throws at load',
        `throw new Error('boom')`,
        ['--boot-timeout', '1500'],
        75,
        /no step within 1500 ms; .*: boom/,
      ],
      ['it loads itself again for ever', `location.reload()`, ['--boot-timeout', '3000'], 75, /no step within 3000 ms/],
      [
        'it navigates away',
        `${TICKS}; setTimeout(() => (location.href = 'https://away.invalid/x'), 300)`,
        [],
        70,
        /^The page has left for https:\/\/away\.invalid\/x$/,
      ],
      [
        'it goes to a blank page',
        `${TICKS}; setTimeout(() => (location.href = 'about:blank'), 300)`,
        [],
        70,
        /^The page has left for about:blank$/,
      ],
      [
        'it goes to a page that it has made itself',
        `${TICKS}; setTimeout(() => (location.href = URL.createObjectURL(new Blob(['x'], { type: 'text/html' }))), 300)`,
        [],
        70,
        /^The page has left for blob:http:\/\/127/,
      ],
      [
        'it loads itself again after it has begun',
        `${TICKS}; setTimeout(() => location.reload(), 300)`,
        [],
        70,
        /^The page has loaded itself again: http:\/\/127\.0\.0\.1:\d+\/$/,
      ],
      [
        'its heap grows without end',
        `${TICKS}; const all = []; setInterval(() => all.push(new Array(3e5).fill(0).map(Math.random)), 16)`,
        SMALL,
        70,
        /memory/,
      ],
      [
        'its buffers grow without end, which no limit of the heap holds back',
        `${TICKS}; const all = []; setInterval(() => all.push(new Uint8Array(5e6)), 16)`,
        SMALL,
        70,
        MEMORY,
      ],
      [
        'its buffers grow in one loop, in which it answers nothing',
        `${TICKS}; const all = []; setTimeout(() => { for (;;) all.push(new Uint8Array(1e7).fill(1)) }, 100)`,
        SMALL,
        70,
        MEMORY,
      ],
      [
        'its WebAssembly grows without end',
        `${TICKS}; const all = []; setInterval(() => {
          const { buffer } = new WebAssembly.Memory({ initial: 100 })
          all.push(new Uint8Array(buffer).fill(1))
        }, 16)`,
        SMALL,
        70,
        MEMORY,
      ],
      [
        'a worker of its grows without end',
        `${TICKS}; ${WORKER('const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1))')}`,
        SMALL,
        70,
        MEMORY,
      ],
      [
        'its Blobs grow without end, which the browser holds',
        `${TICKS}; const all = []; setInterval(() => all.push(new Blob([new Uint8Array(5e6).fill(1)])), 16)`,
        SMALL,
        70,
        MEMORY,
      ],
      [
        'its textures grow without end, which the browser holds',
        `${TICKS}; const gl = document.createElement('canvas').getContext('webgl')
        setInterval(() => {
          gl.bindTexture(gl.TEXTURE_2D, gl.createTexture())
          gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 1024, 1024, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4 << 20).fill(1))
          gl.generateMipmap(gl.TEXTURE_2D)
        }, 16)`,
        [...SMALL, '--webgl'],
        70,
        MEMORY,
      ],
      [
        'it floods its console in a loop without end',
        `${TICKS}; setTimeout(() => { for (;;) console.log('x'.repeat(100_000)) }, 100)`,
        ['--hang-timeout', '2000'],
        70,
        /^The page has not answered for 2000 ms$/,
      ],
      ['it opens dialogs in a loop without end', `for (;;) alert('hello')`, ['--boot-timeout', '2000'], 75, /no step/],
    ])('when %s', async (_how, script, args, code, reason) => {
      const host = await run(script, ...args)
      expect(await host.exited).toBe(code)
      expect(host.events.at(-1)).toMatchObject({ event: 'exit', code, reason: expect.stringMatching(reason) as string })
      expect(host.stderr()).toBe('')
    })
  })

  test('drops Blobs, which are collected before they fill its memory', async () => {
    const script = `${TICKS}; const bytes = new Uint8Array(1e6)
      let made = 0; const timer = setInterval(() => { new Blob([bytes]); if (++made === 600) { clearInterval(timer); console.log('made') } }, 8)`
    const host = await run(script, '--max-memory', '300000000')
    await line(host, 'made')
    await endsInOrder(host)
  })

  test('is loaded again if it asks for it before its first step, as some builds do', async () => {
    const host = await run(
      `if (sessionStorage.again) { ${TICKS} } else { sessionStorage.again = 1; location.reload() }`,
    )
    await host.until('booted')
    await host.until('warning', ({ text }) => text.startsWith('The page has loaded itself again before its first step'))
    await endsInOrder(host)
  })

  test('waits for nobody: dialogs are answered, and told', async () => {
    const host = await run(`${TICKS}; alert('hi'); console.log(confirm('sure?'), prompt('name?'))`)
    await line(host, 'false null')
    expect(linesOf(host)).toEqual([
      'warn The page opened a dialog, which was accepted since nobody is here: alert "hi"',
      'warn The page opened a dialog, which was cancelled since nobody is here: confirm "sure?"',
      'warn The page opened a dialog, which was cancelled since nobody is here: prompt "name?"',
      'info false null',
    ])
    await endsInOrder(host)
  })

  test('opens windows in a loop, which are closed while it goes on', async () => {
    const host = await run(`for (let i = 0; i < 30; i++) open('about:blank', '_blank', 'noopener')\n${TICKS}`)
    await host.until('booted')
    await line(host, /^The page opened a window, which was closed since nobody sees it: about:blank$/)
    await endsInOrder(host)
  })

  test('begins a download, which is refused', async () => {
    const host = await run(`${TICKS}; const link = document.createElement('a')
      Object.assign(link, { href: 'data:application/octet-stream,x', download: 'x.bin' })
      document.documentElement.append(link); link.click()`)
    await line(host, /^The page began a download, which was refused: "x\.bin" of data:/)
    await endsInOrder(host)
  })

  test('asks for permissions, which are refused at once', async () => {
    const host = await run(`${TICKS}; Notification.requestPermission().then((answer) => console.log(answer))`)
    await line(host, 'denied')
    await endsInOrder(host)
  })

  test('unlocks its sound, for which others wait for a click', async () => {
    const host = await run(`new AudioContext().resume().then(() => console.log('unlocked')); ${TICKS}`)
    await line(host, 'unlocked')
    await endsInOrder(host)
  })

  test('is not stopped by debugger statements', async () => {
    const host = await run(`${TICKS}; for (let i = 0; i < 10_000; i++) { debugger }\nconsole.log('not stopped')`)
    await line(host, 'not stopped')
    await endsInOrder(host)
  })

  test('logs what is hard to log', async () => {
    const host = await run(`${TICKS}
      const circle = {}; circle.circle = circle
      console.log(circle, { get bad() { throw 1 } }, new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 } }))
      const error = Object.assign(new Error('m'), { stack: 'S\\u0007\\n    at evil (x:1:2)' })
      error.name = 'N\\u001b[2J'
      setTimeout(() => { throw error })
      console.log('x'.repeat(50e6))
      console.log = () => { throw new Error('changed') }
      console.warn('\\u001b[31mred\\nnext')
      for (let i = 0; i < 40; i++) console.info('same')
      setTimeout(() => console.info('last'), 100)`)
    await line(host, 'last')
    expect(linesOf(host)).toEqual([
      'info {circle: {…}} {bad: (getter)} Proxy(Object) {}',
      'warn \\u001b[31mred\nnext',
      'info same',
      'info … 39 times more',
      'error Uncaught N\\u001b[2J: m\n    at evil (x:1:2)',
      'info last',
    ])
    await endsInOrder(host)
  })

  test("floods its console, of which some lines are written, and goes on; its workers' is told, too", async () => {
    const host = await run(`for (let i = 0; i < 20_000; i++) console.log('line', i, { a: 1 })
      ${TICKS}
      ${WORKER('let n = 0; setInterval(() => console.log("from a worker", n++), 300); setTimeout(() => { throw new Error("thrown there") })')}`)
    await host.until('booted')
    await line(host, /^The page floods its console, which is not read for 1 s/)
    // Its first lines may be among those that are dropped.
    await line(host, /^from a worker \d+$/)
    await line(host, /^Uncaught Error: thrown there\n {4}at blob:/)
    await line(host, /^\d+ lines of .* were dropped/)
    expect(linesOf(host).filter((text) => text.startsWith('info line ')).length).toBeLessThan(5_000)
    await endsInOrder(host)
  })
})

describe.skipIf(noBrowser !== undefined)('a build with source maps', () => {
  const SOURCE = `interface Ball { x: number }
declare const gameServerHost: { tick(): void }

function step(ball: Ball): void {
  if (ball.x === 3) setTimeout(() => { throw new Error('boom') })
  if (ball.x === 9) hang()
}

function hang(): never {
  for (;;) continue
}

const ball: Ball = { x: 0 }
setInterval(() => { gameServerHost.tick(); ball.x += 1; step(ball) }, 16)
`

  test('tells the lines of the sources, for what is thrown and for the loop in which it hangs', async () => {
    const compilerOptions = { sourceMap: true, target: ts.ScriptTarget.ES2022 }
    const fileName = '../../src/game.ts'
    const { outputText, sourceMapText } = ts.transpileModule(SOURCE, { compilerOptions, fileName })
    const map = JSON.stringify({ ...(JSON.parse(sourceMapText!) as object), sources: [fileName] })
    const dir = await buildOf({
      'index.html': '<!doctype html><link rel="icon" href="data:,"><script src="assets/game.js"></script>',
      'assets/game.js': outputText.replace(/sourceMappingURL=.*/, 'sourceMappingURL=game.js.map'),
      'assets/game.js.map': map,
    })
    const host = runHost([dir, '--local', '--restarts', '0', '--hang-timeout', '1500'])
    await line(host, /^Uncaught Error: boom\n {4}at src\/game\.ts:5:46$/)
    expect(await host.exited).toBe(70)
    const { stack } = await host.until('hang')
    expect(stack.split('\n').slice(1)).toEqual(['at step (src/game.ts:6:21)', 'at src/game.ts:14:57'])
    expect(stack.split('\n')[0]).toMatch(/^at hang \(src\/game\.ts:\d+:\d+\)$/)
  })
})
