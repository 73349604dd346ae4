export { connect } from './player/connect.js'

export type { BlobLike, Data } from './player/browser.js'
export type { EdgeTarget } from '../protocol/edge-url.js'
export type { ConnectOptions, PlayerConnection, PlayerEvents } from './player/types.js'
