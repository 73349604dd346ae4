import { onTestFinished, describe, expect, test } from 'vitest'
import { createHost } from '../../../src/node/host/create-host.js'
import type { HostEvent } from '../../../src/node/host/host-events.js'
import { noBrowser, rendererOf } from '../support/processes.js'
import { buildOf, pageOf } from '../support/run-host.js'
import { dialPlayers, joinPlayers, until } from './players-support.js'
import type { Client } from './players-support.js'

if (noBrowser !== undefined) console.error(`The tests of players in a real page are SKIPPED: ${noBrowser}`)

interface Match {
  /** What the page wrote to the console, without levels. */
  readonly said: () => string[]
  readonly events: readonly HostEvent[]
  readonly warnings: () => string[]
  readonly browserPid: () => number
  join(path?: string): Promise<Client>
  dial(path?: string): Client
  close(): Promise<unknown>
}

/** Runs a build in a browser. Its script is `game`, or the build is there already. */
async function host(game: string, dir?: string): Promise<Match> {
  const events: HostEvent[] = []
  const running = await createHost({
    dir: dir ?? (await pageOf(`setInterval(() => gameServerHost.tick(), 16)\n${game}`)),
    local: { mode: 'local' },
    playersPort: 0,
    onEvent: (event) => void events.push(event),
  })
  onTestFinished(async () => void (await running.close()))
  const health = running.playersUrl.replace('ws:', 'http:')
  await until(async () => expect((await fetch(`${health}/healthz`)).status).toBe(200))
  const stage = { players: { url: running.playersUrl } }
  return {
    said: () => events.flatMap((event) => (event.event === 'console' ? [event.text] : [])),
    events,
    warnings: () => events.flatMap((event) => (event.event === 'warning' ? [event.text] : [])),
    browserPid: () => events.find((event) => event.event === 'browser')!.pid,
    join: (path) => joinPlayers(stage, path),
    dial: (path) => dialPlayers(stage, path),
    close: () => running.close(),
  }
}

const ECHO = `gameServerHost.onconnection = (socket) => { socket.onmessage = ({ data }) => socket.send(data) }`

describe.skipIf(noBrowser !== undefined)('players of a page in a real browser', () => {
  test('are answered, in texts and bytes of any size, and each has a socket of its own', async () => {
    const match = await host(ECHO)
    const players = await Promise.all(Array.from({ length: 20 }, () => match.join()))
    const sent = (i: number): (string | Buffer)[] => [`ä${i}`, Buffer.from([0, i]), '', Buffer.alloc(60_000, i)]
    players.forEach(({ socket }, i) => sent(i).forEach((message) => socket.send(message)))
    await Promise.all(players.map(({ message }) => message(3)))
    // Comparing long Buffers byte by byte takes seconds.
    const plain = (message: string | Buffer): string[] => [typeof message, message.toString('latin1')]
    expect(players.map(({ messages }) => messages.map(plain))).toEqual(players.map((_, i) => sent(i).map(plain)))
  })

  test('get what a WebSocket would send, and see its close', async () => {
    const match = await host(`gameServerHost.onconnection = (socket) => {
      socket.send(new Blob(['blob']))
      socket.send(new Float32Array([1]).subarray(0))
      socket.send('text')
      socket.addEventListener('close', ({ code, reason, wasClean, type }) => console.log(type, code, reason, wasClean))
      const nameOf = (close) => { try { close() } catch ({ name }) { return name } }
      console.log([1001, 2000, 5000].map((code) => nameOf(() => socket.close(code))).join())
      console.log(nameOf(() => socket.close(1000, 'x'.repeat(124))))
      console.log(socket.readyState, socket.bufferedAmount, socket.binaryType, socket instanceof EventTarget)
      socket.close(4000, 'over')
    }`)
    const player = await match.join('/?name=Ada')
    expect(await player.closed).toEqual([4000, 'over'])
    expect(player.messages).toEqual([Buffer.from('blob'), Buffer.from(new Float32Array([1]).buffer), 'text'])
    await until(() =>
      expect(match.said()).toEqual([
        'InvalidAccessError,InvalidAccessError,InvalidAccessError',
        'SyntaxError',
        '1 12 arraybuffer true',
        'close 4000 over true',
      ]),
    )
  })

  test('are kept for a game that takes its time, with what they have said', async () => {
    const match = await host(`setTimeout(() => {
      gameServerHost.onconnection = async (socket) => {
        console.log(socket.url, gameServerHost.connections.get(socket.id) === socket)
        await new Promise((resolve) => setTimeout(resolve, 300))
        socket.onmessage = ({ data }) => socket.send(data + '!')
      }
    }, 500)`)
    const player = await match.join('/early')
    for (const text of ['one', 'two']) player.socket.send(text)
    await player.message(1)
    player.socket.send('three')
    await player.message(2)
    expect(player.messages).toEqual(['one!', 'two!', 'three!'])
    expect(match.said()).toEqual(['/early true'])
  })

  test('hear from a game that replaces globals and has listeners that throw, which are reported', async () => {
    const match = await host(`
      const names = 'WebSocket MessageEvent CloseEvent Event EventTarget Blob queueMicrotask setTimeout reportError DOMException ' +
        'ArrayBuffer DataView JSON Map Math Object Promise RangeError Set String TextDecoder TextEncoder Uint8Array'
      for (const name of names.split(' ')) {
        window[name] = function () { throw new Error(name + ' of the game') }
      }
      gameServerHost.onconnection = (socket) => {
        socket.addEventListener('message', () => { throw new Error('of a listener') })
        socket.onmessage = ({ data }) => socket.send(data)
        throw new Error('of onconnection')
      }`)
    const player = await match.join()
    player.socket.send('still')
    expect(await player.message(0)).toBe('still')
    await until(() => {
      for (const text of ['of onconnection', 'of a listener']) expect(match.said().join('\n')).toContain(text)
    })
    expect(match.said().join('\n')).not.toContain('of the game')
    await match.close()
    expect((await player.closed)[0]).toBe(1001)
    expect(match.warnings().filter((text) => !text.includes('sandbox'))).toEqual([])
  })

  test('find it as soon as it has booted', async () => {
    for (let round = 0; round < 3; round += 1) {
      let status: number | undefined
      let url = ''
      const running = await createHost({
        dir: await pageOf('setInterval(() => gameServerHost.tick(), 1)'),
        local: { mode: 'local' },
        playersPort: 0,
        onEvent(event) {
          if (event.event === 'listening') url = event.players.replace('ws:', 'http:')
          if (event.event === 'booted') void fetch(`${url}/healthz`).then((answer) => (status = answer.status))
        },
      })
      onTestFinished(async () => void (await running.close()))
      await until(() => expect(status).toBeDefined())
      expect(status).toBe(200)
    }
  })

  test('are closed with 1011 by a crash after Ready, since nothing starts again', async () => {
    const match = await host(`${ECHO}
      fetch('/_/sidecar/ready', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
        .then(({ status }) => console.log('ready', status))`)
    await until(() => expect(match.said()).toEqual(['ready 200']))
    const player = await match.join()
    process.kill(rendererOf(match.browserPid()), 'SIGKILL')
    expect(await player.closed).toEqual([1011, 'The game server has failed'])
  })

  test('meet a game that has put something of its own around requestAnimationFrame, and whose first frame throws', async () => {
    const dir = await buildOf({
      'index.html': `<!doctype html><script>
        const before = requestAnimationFrame
        let frames = 0
        const wrapped = (callback) => before(callback)
        window.requestAnimationFrame = wrapped
        const step = () => {
          frames += 1
          window.requestAnimationFrame(step)
          if (frames === 1) throw new Error('of the first frame')
          if (frames === 5) console.log('still wrapped', window.requestAnimationFrame === wrapped)
        }
        window.requestAnimationFrame(step)
        ${ECHO}</script>`,
    })
    const match = await host('', dir)
    await until(() => expect(match.said()).toContain('still wrapped true'))
    await until(() => expect(match.events.some(({ event }) => event === 'booted')).toBe(true))
  })

  test('have one game server: a frame of the page opens no other', async () => {
    const dir = await buildOf({
      'index.html': `<!doctype html><iframe src="frame.html"></iframe><script>setInterval(() => gameServerHost.tick(), 16)
        ${ECHO}</script>`,
      'frame.html': `<!doctype html><script>parent.console.log(typeof gameServerHost)</script>`,
    })
    const match = await host('', dir)
    await until(() => expect(match.said()).toEqual(['undefined']))
    const player = await match.join()
    player.socket.send('one')
    expect(await player.message(0)).toBe('one')
  })

  test('are closed with 1012 by a page that loads itself again, and come back to it', async () => {
    const match = await host(`gameServerHost.onconnection = (socket) => {
      socket.onmessage = ({ data }) => data === 'reload' ? location.reload() : socket.send(data)
    }`)
    const before = await match.join()
    before.socket.send('reload')
    expect((await before.closed)[0]).toBe(1012)
    // One who is too quick is still let in by the page that goes away, and closed again.
    const answer = await until(async () => {
      const player = match.dial()
      player.socket.once('open', () => player.socket.send('again'))
      const left = player.closed.then(([code]) => Promise.reject(new Error(`Closed with ${code}`)))
      return Promise.race([player.message(0), left])
    }, 100)
    expect(answer).toBe('again')
  })

  test('wait while the page is busy, and lose nothing by it', async () => {
    const match = await host(`let bytes = 0
      gameServerHost.onconnection = (socket) => {
        socket.onmessage = ({ data }) => {
          if (data === 'busy') for (const end = performance.now() + 2_000; performance.now() < end;);
          else if (data === 'bytes?') socket.send(String(bytes))
          else bytes += data.byteLength
        }
      }`)
    const player = await match.join()
    player.socket.send('busy')
    for (let i = 0; i < 400; i += 1) player.socket.send(Buffer.alloc(60_000))
    player.socket.send('bytes?')
    expect(await player.message(0)).toBe(String(400 * 60_000))
  })

  test('hear 1001 at the end', async () => {
    const match = await host(ECHO)
    const player = await match.join()
    await match.close()
    expect((await player.closed)[0]).toBe(1001)
  })
})
