import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listenHere } from '../support/listen.js'
import { answers, nameIn, open, startDemo } from './support.js'

describe('gameserver-sidecar demo', () => {
  test('the client connects again to a sidecar that was killed, and the GameServer is the same', async () => {
    // Tests beside this one may take the usual port while its sidecar is away, so this sidecar gets another port.
    const holder = createServer().listen(9358, '127.0.0.1')
    onTestFinished(() => void holder.close())
    await once(holder, 'listening').catch(() => undefined)
    const page = await open(await startDemo())
    const name = await nameIn(page, 'Ready')
    page.send({ type: 'action', action: 'kill' })
    await page.until(({ type, state }) => type === 'connection' && state === 'reconnecting')
    await page.until(({ type, state }) => type === 'connection' && state === 'connected')
    page.send({ type: 'action', action: 'allocate' })
    expect(await nameIn(page, 'Allocated')).toBe(name)
  })

  test('a game that freezes becomes Unhealthy, and the next server takes its place', async () => {
    const demo = await startDemo()
    const page = await open(demo)
    const name = await nameIn(page, 'Ready')
    page.send({ type: 'action', action: 'freeze' })
    // The first check comes 30 s after the start.
    const headers = { 'content-type': 'application/json', 'x-sidecar-control': '1' }
    const body = JSON.stringify({ type: 'setClock', speed: 10 })
    await fetch(new URL('api/commands', demo.dashboard), { method: 'POST', headers, body })
    await page.until(({ type, ...beat }) => type === 'beat' && 'ok' in beat && beat.ok === false)
    expect(await nameIn(page, 'Unhealthy')).toBe(name)
    expect(await nameIn(page, 'Ready')).not.toBe(name)
  })

  test('only its own page may connect, and only its files are served', async () => {
    const demo = await startDemo()
    await expect(open(demo, 'http://evil.example/')).rejects.toThrow('401')
    for (const path of ['', 'page.js', 'page.css']) expect((await fetch(demo.url + path)).status).toBe(200)
    for (const path of ['demo.js', '..%2fcli.js', 'constructor'])
      expect((await fetch(demo.url + path)).status).toBe(404)
    expect(await (await fetch(demo.dashboard)).text()).toContain('<html')
  })

  test('a taken port is replaced by a free one', async () => {
    const port = await listenHere(createServer())
    const demo = await startDemo(['--no-open', '--port', String(port)])
    expect(demo.url).not.toContain(`:${port}/`)
    await demo.line(new RegExp(`^Port ${port} is taken`))
    expect(await answers(demo.url)).toBe(true)
  })
})
