export { AgonesSDK, AgonesSDK as default } from './agones-sdk.js'

export type { AgonesSDKOptions } from './agones-sdk.js'
export type { Alpha, Beta } from './alpha-beta.js'
export type { AgonesSDKError } from './errors.js'
export type { GameServer } from './game-server.js'
