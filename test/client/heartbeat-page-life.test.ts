import { describe, expect, it, vi } from 'vitest'
import type { LocalSidecar } from '../../src/node/index.js'
import { calls, connectClient, startSidecar, untilLogged } from '../support/with-sidecar.js'
import { beats, reasons, show } from './shown-page.js'

describe('a sign of life', () => {
  it('counts without a worker too: alive() that stops holds the beats back', async () => {
    const { page, sidecar, client, events } = await show({ worker: false, stallTimeout: 1500 })
    client.alive()
    await page.pass(1200)
    const before = beats(sidecar)
    await page.pass(3000)
    expect(beats(sidecar)).toBe(before)
    expect(reasons(events)).toEqual(['stalled', 'stalled', 'stalled'])
    client.alive()
    await page.pass(1000)
    expect(beats(sidecar)).toBe(before + 1)
  })

  it('may be given where nothing beats', async () => {
    const client = connectClient(await startSidecar())
    client.alive()
    expect(client.status).toMatchObject({ heartbeat: undefined, lastBeat: undefined })
  })
})

describe('a page that is left', () => {
  const answered = (sidecar: LocalSidecar, name: string): number =>
    calls(sidecar).filter((called) => called === name).length

  it('sends a last beat, and no shutdown', async () => {
    const { page, sidecar } = await show()
    const before = beats(sidecar)
    page.dispatch('pagehide', { persisted: false })
    await untilLogged(sidecar, () => beats(sidecar) === before + 1)
    expect(answered(sidecar, 'shutdown')).toBe(0)
  })

  it('sends it as a beacon where there are any, unless its fetch is its own', async () => {
    const { page, sidecar } = await show()
    const beacons: string[] = []
    vi.stubGlobal('navigator', { sendBeacon: (url: string, body: string) => beacons.push(`${url} ${body}`) > 0 })
    const own = connectClient(sidecar, {
      ...page.options,
      fetch: (url, init) => fetch(url, init as RequestInit),
      autoHealth: { worker: false },
    })
    await own.once('health')
    const before = beats(sidecar)
    page.dispatch('pagehide', { persisted: false })
    await untilLogged(sidecar, () => beats(sidecar) === before + 1)
    expect(beacons).toEqual([`${sidecar.url}/health {}`])
  })

  it.each([
    [false, 1],
    [true, 0],
  ])('is shut down if that is wanted, but not when it may come back (%s)', async (persisted, shutdowns) => {
    const { page, sidecar } = await show({}, { shutdownOnPageHide: true })
    const before = beats(sidecar)
    page.dispatch('pagehide', { persisted })
    await untilLogged(sidecar, () => beats(sidecar) === before + 1 && answered(sidecar, 'shutdown') === shutdowns)
  })

  it('sends no last beat behind a dead game, nor without autoHealth', async () => {
    const { page, sidecar, client } = await show({ stallTimeout: 1000 })
    const silent = connectClient(sidecar, { ...page.options, autoHealth: false })
    client.alive()
    await page.pass(3000)
    const before = beats(sidecar)
    page.dispatch('pagehide', { persisted: false })
    await silent.getGameServer()
    expect(beats(sidecar)).toBe(before)
  })

  it.each([
    ['pageshow', { persisted: true }],
    ['resume', {}],
  ])('beats at once when it is back: %s', async (type, event) => {
    const { page, sidecar } = await show({ interval: 60_000 })
    const before = beats(sidecar)
    page.dispatch(type, event)
    await page.pass(100)
    expect(beats(sidecar)).toBe(before + 1)
  })
})

it.each([true, false])(
  'a page that thaws and is shown again, as Chromium has it, beats once for both (worker: %s)',
  async (worker) => {
    const { page, sidecar } = await show({ interval: 60_000, worker })
    const before = beats(sidecar)
    page.dispatch('resume')
    await page.pass(20)
    page.dispatch('pageshow', { persisted: true })
    await page.pass(300)
    expect(beats(sidecar)).toBe(before + 1)
  },
)
