import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { HostOptions } from '../../src/host/host-options.js'
import { hostHere, TICKS } from './support/host-here.js'
import { browserProcesses, browsers, noBrowser, rendererOf } from './support/processes.js'
import { folderOf, temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

if (noBrowser !== undefined) console.error(`The tests of bad pages are SKIPPED: ${noBrowser}`)

const WORKER = (script: string): string => `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(script)}])))`

describe.skipIf(noBrowser !== undefined)('a bad page ends its host', () => {
  /** Includes the start of the browser on a busy machine. */
  const BOOT = { bootTimeout: 5_000 }

  test.each<[string, string, Partial<HostOptions>, number, RegExp]>([
    [
      'it throws at load',
      `throw new TypeError('boom')`,
      BOOT,
      75,
      /^The page has made no step within 5000 ms; its last error: Uncaught TypeError: boom$/,
    ],
    [
      'it has threads and is not isolated',
      `console.error('The following features are missing:\\nCross Origin Isolation'); new SharedArrayBuffer(8)`,
      BOOT,
      75,
      /its last error: Uncaught ReferenceError: SharedArrayBuffer is not defined\. The page needs SharedArrayBuffer: add --isolate/,
    ],
    ['it reloads itself for ever', `location.reload()`, BOOT, 75, /no step within 5000 ms/],
    ['it opens dialogs in a loop', `for (;;) alert('hello')`, BOOT, 75, /no step/],
    [
      'it runs its loop by timers without calling tick()',
      `setInterval(() => {}, 16)`,
      BOOT,
      75,
      /within 5000 ms: .*Call tick\(\) in the game's loop/,
    ],
    [
      'it answers and no longer ticks',
      `let steps = 0; const timer = setInterval(() => { gameServerHost.tick(); if (++steps === 30) clearInterval(timer) }, 8)`,
      { hangTimeout: 1_000 },
      70,
      /gameServerHost\.tick\(\) has not been called for 1000 ms/,
    ],
    [
      'it navigates away',
      `${TICKS}; setTimeout(() => (location.href = 'https://away.invalid/x'), 100)`,
      {},
      70,
      /^The page has left for https:\/\/away\.invalid\/x$/,
    ],
    [
      'it reloads itself after its first steps',
      `${TICKS}; setTimeout(() => location.reload(), 300)`,
      {},
      70,
      /^The page has loaded itself again: http:\/\/127\.0\.0\.1:\d+\/$/,
    ],
    [
      'it floods its console in a loop without end',
      `${TICKS}; setTimeout(() => { for (;;) console.log('x'.repeat(100_000)) }, 100)`,
      { hangTimeout: 1_500 },
      70,
      /^The page has not answered for 1500 ms$/,
    ],
  ])('when %s', async (_how, script, options, code, reason) => {
    const { exited, events } = await hostHere(script, options)
    const end = { code, reason: expect.stringMatching(reason) as string }
    expect(await exited).toEqual(end)
    expect(events.at(-1)).toEqual({ event: 'exit', ...end })
  })

  test('when its heap grows without end', async () => {
    // Of two such flags, the browser takes the last one.
    const browser = join(await temporaryFolder('heap'), 'browser')
    await writeFile(browser, `#!/bin/sh\nexec ${browsers[0]} "$@" --js-flags=--max-old-space-size=64\n`, {
      mode: 0o755,
    })
    const script = `${TICKS}; const all = []; setInterval(() => all.push(new Array(3e5).fill(0).map(Math.random)), 16)`
    const { exited } = await hostHere(script, { browser })
    expect(await exited).toEqual({ code: 70, reason: 'The page has run out of memory' })
  })

  test('and the error shows the stack of the loop that blocks the first step, with the lines of the built file', async () => {
    const files = {
      'index.html': '<!doctype html><link rel="icon" href="data:,"><script src="assets/game.js"></script>',
      'assets/game.js': 'void 0;\n(function load() { for (;;); })()',
    }
    const { exited, until, pageUrl } = await hostHere('', { dir: await folderOf(files), bootTimeout: 6_000 })
    const place = `${pageUrl}assets/game.js:2:`
    expect((await until('hang')).stack.split('\n')).toEqual([
      expect.stringContaining(`at load (${place}`),
      expect.stringContaining(`at ${place}`),
    ])
    expect(await exited).toMatchObject({ code: 75 })
  })
})

describe.skipIf(noBrowser !== undefined)('the host keeps running a page', () => {
  test('that uses dialogs, windows, downloads, permissions, sound and debugger statements, without waiting for anybody', async () => {
    const { lines, line, close } = await hostHere(`${TICKS}
      alert('hi')
      console.log(confirm('sure?'), prompt('name?'))
      for (let i = 0; i < 30; i++) open('about:blank', '_blank', 'noopener')
      const link = document.createElement('a')
      Object.assign(link, { href: 'data:application/octet-stream,x', download: 'x.bin' })
      document.documentElement.append(link); link.click()
      Notification.requestPermission().then((answer) => console.log(answer))
      new AudioContext().resume().then(() => console.log('sound is unlocked'))
      for (let i = 0; i < 10_000; i++) { debugger }
      console.log('not stopped')`)
    await line('denied')
    await line('sound is unlocked')
    await line('not stopped')
    await line('The page opened a window, which was closed since nobody sees it: about:blank')
    expect(lines().slice(0, 4)).toEqual([
      'warn The page opened a dialog, which was accepted since nobody is here: alert "hi"',
      'warn The page opened a dialog, which was cancelled since nobody is here: confirm "sure?"',
      'warn The page opened a dialog, which was cancelled since nobody is here: prompt "name?"',
      'info false null',
    ])
    expect(await close()).toMatchObject({ code: 0 })
  })

  test('that reloads itself before its first step, as some builds do', async () => {
    const script = `if (sessionStorage.again) { ${TICKS} } else { sessionStorage.again = 1; location.reload() }`
    const { until, close } = await hostHere(script)
    await until('booted')
    await until('warning', ({ text }) => text.startsWith('The page has loaded itself again before its first step'))
    expect(await close()).toMatchObject({ code: 0 })
  })

  test('that logs values which are hard to print', async () => {
    const script = `${TICKS}
      const circle = {}; circle.circle = circle
      console.log(circle, { get bad() { throw 1 } }, new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 } }))
      const error = Object.assign(new Error('m'), { stack: 'S\\u0007\\n    at evil (x:1:2)' })
      error.name = 'N\\u001b[2J'
      setTimeout(() => { throw error })
      console.log('x'.repeat(50e6))
      console.log = () => { throw new Error('changed') }
      console.warn('\\u001b[31mred\\nnext')
      setTimeout(() => console.info('last'), 100)`
    // The longest line keeps the page from answering on a busy machine.
    const { lines, line } = await hostHere(script, { hangTimeout: 60_000 })
    await line('last')
    expect(lines()).toEqual([
      'info {circle: Object} {bad: accessor} Proxy(Object) {}',
      'warn \\u001b[31mred\nnext',
      'error Uncaught N\\u001b[2J: m\n    at evil (x:1:2)',
      'info last',
    ])
  })

  test('that floods its console: some lines of the page and of its workers are written', async () => {
    const { lines, line, close } = await hostHere(`for (let i = 0; i < 20_000; i++) console.log('line', i, { a: 1 })
      ${TICKS}
      ${WORKER('let n = 0; setInterval(() => console.log("from a worker", n++), 300); setTimeout(() => { throw new Error("thrown there") })')}`)
    await line(/^The page floods its console, which is not read for 1 s/)
    // The page's first lines may be among the dropped ones.
    await line(/^from a worker \d+ \(blob:.*\)$/)
    await line(/^Uncaught Error: thrown there \(blob:/)
    await line(/^\d+ lines of .* were dropped/)
    expect(lines().filter((text) => text.startsWith('info line ')).length).toBeLessThan(5_000)
    expect(await close()).toMatchObject({ code: 0 })
  })
})

describe.skipIf(noBrowser !== undefined)('createHost()', () => {
  test('runs two pages at once, which end independently, however often close() is called', async () => {
    const [one, other] = await Promise.all([hostHere(TICKS), hostHere(TICKS)])
    const ends = await Promise.all([one.close(), one.close(), one.exited])
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(one.events.filter(({ event }) => event === 'exit')).toHaveLength(1)
    await other.until('booted')
    await until(() => browserProcesses(one.browser()).length === 0)
    expect(await other.close('SIGINT')).toEqual({ code: 0, reason: 'It was told to stop by SIGINT' })
  })

  test('can be aborted while it starts', async () => {
    const stop = new AbortController()
    const started = hostHere(TICKS, { signal: stop.signal })
    stop.abort(new Error('changed my mind'))
    await expect(started).rejects.toThrow('changed my mind')
    await expect(hostHere(TICKS, { signal: stop.signal })).rejects.toThrow('changed my mind')
  })

  test('kills a stopped renderer, which doesn’t notice the end of its browser', async () => {
    const { until: heard, browser, close } = await hostHere(TICKS, { grace: 1_000 })
    await heard('booted')
    process.kill(rendererOf(browser()), 'SIGSTOP')
    expect(await close()).toMatchObject({ code: 0 })
    await until(() => browserProcesses(browser()).length === 0)
  })

  test('leaves no descriptors, listeners or timers behind', async () => {
    const round = async (): Promise<void> => void (await (await hostHere(TICKS)).close())
    const listeners = (): number[] =>
      ['exit', 'SIGTERM', 'SIGINT', 'warning', 'uncaughtException'].map((name) => process.listenerCount(name))
    // Modules that are loaded once stay loaded.
    await round()
    await sleep(1_200)
    const before = { files: readdirSync('/proc/self/fd').length, listeners: listeners() }
    const resources = process.getActiveResourcesInfo().length
    for (let i = 0; i < 8; i += 1) await round()
    await sleep(1_200)
    expect(listeners()).toEqual(before.listeners)
    expect(readdirSync('/proc/self/fd').length).toBeLessThan(before.files + 5)
    expect(process.getActiveResourcesInfo().length).toBeLessThan(resources + 5)
  })
})
