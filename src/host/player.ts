export { connect } from './player/connect.js'
export { pickRegion } from './player/pick-region.js'

export type { BlobLike, Data } from './player/browser.js'
export type { EdgeTarget } from '../protocol/edge-url.js'
export type { Region } from './player/pick-region.js'
export type { ConnectOptions, PlayerConnection, PlayerEvents } from './player/types.js'
