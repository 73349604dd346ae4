import { AgonesSDK } from './agones-sdk.js'

// For `require()`, which gives the class itself, as that of the official package does: the names of an import are on it.
Object.assign(AgonesSDK, { AgonesSDK, default: AgonesSDK })

export { AgonesSDK, AgonesSDK as default, AgonesSDK as 'module.exports' }

export type { AgonesSDKOptions, Beta } from './agones-sdk.js'
export type { AgonesSDKError } from './errors.js'
export type { GameServer } from './game-server.js'
