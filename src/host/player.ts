export { connect, type ConnectOptions, type PlayerConnection, type PlayerEvents } from './player/connect.js'
export { pickRegion, type Region } from './player/pick-region.js'

export type { BlobLike, Data } from './player/browser.js'
export type { EdgeTarget } from '../protocol/edge-url.js'
