import { describe, expect, test } from 'vitest'
import { hostHere, TICKS, type HostHere } from '../support/host-here.js'
import { noBrowser, rendererOf } from '../support/processes.js'
import { folderOf } from '../../support/temporary-folder.js'
import { dialPlayers, joinPlayers, type Client } from './players-support.js'
import { until } from '../../support/until.js'

if (noBrowser !== undefined) console.error(`The tests of players in a real page are SKIPPED: ${noBrowser}`)

const joinHost = ({ playersUrl: url }: HostHere, path?: string): Promise<Client> =>
  joinPlayers({ players: { url } }, path)
const healthOf = async ({ playersUrl }: HostHere): Promise<number> =>
  (await fetch(`${playersUrl.replace('ws:', 'http:')}/healthz`)).status

describe.skipIf(noBrowser !== undefined)('players in a real browser', () => {
  test('have one game server when the page has booted, despite a frame of it, and get what a WebSocket would send', async () => {
    const files = {
      'frame.html': `<!doctype html><script>parent.console.log('in a frame', typeof gameServerHost)</script>`,
      'index.html': `<!doctype html><iframe src="frame.html"></iframe><script>${TICKS}
        gameServerHost.onconnection = (socket) => {
          socket.send(new Float32Array([1]).subarray(0))
          try { socket.close(1001) } catch ({ name }) { socket.send(name) }
          socket.addEventListener('close', ({ code, reason, wasClean }) => console.log('close', code, reason, wasClean))
          socket.close(4000, 'over')
        }
      </script>`,
    }
    const host = await hostHere('', { dir: await folderOf(files) })
    await host.until('booted')
    expect(await healthOf(host)).toBe(200)
    const player = await joinHost(host)
    expect(await player.closed).toEqual([4000, 'over'])
    expect(player.messages).toEqual([Buffer.from(new Float32Array([1]).buffer), 'InvalidAccessError'])
    await host.line('close 4000 over true')
    await host.line('in a frame undefined')
  })

  test('get answers from a slow game that replaces timers and sockets, wraps frames and has listeners that throw', async () => {
    const rude = await hostHere(`
      const before = requestAnimationFrame, wait = setTimeout
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
      const names = 'WebSocket MessageEvent CloseEvent Blob queueMicrotask setTimeout reportError performance'
      for (const name of names.split(' ')) {
        Reflect.defineProperty(window, name, { value: function () { throw new Error(name + ' of the game') } })
      }
      wait(() => {
        gameServerHost.onconnection = (socket) => {
          console.log(socket.url, gameServerHost.connections.get(socket.id) === socket)
          wait(() => {
            socket.addEventListener('message', () => { throw new Error('of a listener') })
            socket.onmessage = ({ data }) => socket.send(data + '!')
          }, 200)
          throw new Error('of onconnection')
        }
      }, 500)`)
    await rude.until('booted')
    const player = await joinHost(rude, '/early')
    for (const text of ['one', 'two']) player.socket.send(text)
    await player.message(1)
    player.socket.send('three')
    await player.message(2)
    expect(player.messages).toEqual(['one!', 'two!', 'three!'])
    await rude.line('still wrapped true')
    await rude.line('/early true')
    for (const text of [/of the first frame/, /of onconnection/, /of a listener/]) await rude.line(text)
    expect(rude.lines().join('\n')).not.toContain('of the game')
    await rude.close()
    expect((await player.closed)[0]).toBe(1001)
    const warnings = rude.events.flatMap((event) => (event.event === 'warning' ? [event.text] : []))
    expect(warnings.filter((text) => !text.includes('sandbox'))).toEqual([])
  })

  test('are closed with 1012 when the page reloads, reconnect, and are closed with 1011 when it crashes after Ready', async () => {
    const script = `${TICKS}
      const ready = () => fetch('/_/sidecar/ready', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
      gameServerHost.onconnection = (socket) => {
        socket.onmessage = ({ data }) => {
          if (data === 'reload') location.reload()
          else if (data === 'ready') ready().then(({ status }) => socket.send('ready ' + status))
          else socket.send(data)
        }
      }`
    const host = await hostHere(script, { restarts: 1 })
    await until(async () => expect(await healthOf(host)).toBe(200))
    const before = await joinHost(host)
    before.socket.send('reload')
    expect((await before.closed)[0]).toBe(1012)
    // The leaving page still admits a player who reconnects too early, and closes that player again.
    const player = await until(async () => {
      const again = dialPlayers({ players: { url: host.playersUrl } })
      again.socket.once('open', () => again.socket.send('again'))
      const left = again.closed.then(([code]) => Promise.reject(new Error(`Closed with ${code}`)))
      expect(await Promise.race([again.message(0), left])).toBe('again')
      return again
    })
    player.socket.send('ready')
    expect(await player.message(1)).toBe('ready 200')
    process.kill(rendererOf(host.browser()), 'SIGKILL')
    expect(await player.closed).toEqual([1011, 'The game server has failed'])
  })
})
