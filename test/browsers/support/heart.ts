import { onTestFinished } from 'vitest'
import { createGateway } from '../../../src/node/index.js'
import type { Sidecar } from '../../../src/sidecar/index.js'
import { gameServer } from '../../hosts/support/sidecar.js'
import { untilLogged } from '../../support/with-sidecar.js'
import { sidecarQuery } from './game.js'
import { startOpenSidecar } from './open-sidecar.js'
import { servePages } from './page-server.js'

export interface HeartPage {
  sidecar: Sidecar
  url: string
}

/** Where a page that beats may be: at the sidecar's own origin, or at another one. */
export const places = ['through a gateway', 'from another origin'] as const

/** A page that beats, pages/heart.html, and its sidecar. */
export async function serveHeart(place: (typeof places)[number], game: string): Promise<HeartPage> {
  if (place === 'from another origin') return serveHeartElsewhere(game)
  const gateway = await createGateway({ dir: game, local: { mode: 'local', gameServer } })
  onTestFinished(() => gateway.close())
  return { sidecar: gateway.local!.sidecar, url: `${gateway.url}/heart.html` }
}

export async function serveHeartElsewhere(game: string, headers?: Record<string, string>): Promise<HeartPage> {
  const { sidecar, url } = await startOpenSidecar({ mode: 'local', gameServer })
  const pages = await servePages(game, headers)
  return { sidecar, url: pages.url(`heart.html${sidecarQuery(url)}`) }
}

/** When a call came, ms since the Unix epoch: the clock that a page has too. */
export const timesOf = (sidecar: Sidecar, operation: string): number[] =>
  sidecar.log
    .entries()
    .filter(({ event }) => event.type === 'call' && event.call.operation === operation)
    .map(({ at }) => at)

export const beatsOf = (sidecar: Sidecar): number[] => timesOf(sidecar, 'health')

export const beatsWithin = (sidecar: Sidecar, from: number, to: number): number[] =>
  beatsOf(sidecar).filter((at) => at >= from && at < to)

export const untilBeats = (sidecar: Sidecar, count: number): Promise<void> =>
  untilLogged({ sidecar }, () => beatsOf(sidecar).length >= count)

/** Resolves with the first beat at that time or later. */
export async function firstBeatSince(sidecar: Sidecar, time: number): Promise<number> {
  const find = (): number | undefined => beatsOf(sidecar).find((at) => at >= time)
  await untilLogged({ sidecar }, () => find() !== undefined)
  return find()!
}

/** How much later than it should something may happen on a busy machine, ms. */
export const LATE = 1500
