import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { listenHere } from '../support/listen.js'
import { temporaryFolder } from '../support/temporary-folder.js'
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

describe.skipIf(process.platform !== 'linux')('the browser that gameserver-sidecar demo opens', () => {
  const DISPLAY = { DISPLAY: ':77', WAYLAND_DISPLAY: undefined, CI: undefined, PATH: '' }
  let openers: string

  beforeAll(async () => {
    openers = await mkdtemp(join(tmpdir(), 'gameserver-openers-'))
    const opener = join(openers, 'xdg-open')
    await writeFile(opener, '#!/bin/sh\nprintf %s "$1" > "$OPENED.part" && mv "$OPENED.part" "$OPENED"\n')
    await chmod(opener, 0o755)
    return () => rm(openers, { recursive: true, force: true })
  })

  test('gets the address', async () => {
    const opened = join(await temporaryFolder('demo'), 'opened')
    const path = [openers, process.env['PATH']].join(delimiter)
    const demo = await startDemo(['--port', '0'], { ...DISPLAY, PATH: path, OPENED: opened })
    await expect.poll(() => readFile(opened, 'utf8').catch(() => '')).toBe(demo.url)
  })

  test.each([
    ['without an opener', {}, /^No browser could be opened/],
    ['without a display', { DISPLAY: undefined }, undefined],
    ['in CI', { CI: 'true' }, undefined],
  ])('is not needed: %s the demo prints its address and goes on', async (_where, env, complaint) => {
    const demo = await startDemo(['--port', '0'], { ...DISPLAY, ...env })
    if (complaint !== undefined) await demo.errorLine(complaint)
    await nameIn(await open(demo), 'Ready')
    demo.child.kill('SIGTERM')
    const { code, err } = await demo.finished
    expect(code).toBe(0)
    if (complaint === undefined) expect(err).toBe('')
  })
})
