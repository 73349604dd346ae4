export { connect } from './connect.js'

export type { BlobLike, Data } from './browser.js'
export type { EdgeTarget } from '../protocol/edge-url.js'
export type { ConnectOptions, PlayerConnection, PlayerEvents } from './types.js'
