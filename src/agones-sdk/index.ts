import { AgonesSDK } from './agones-sdk.js'

// For `require()`, which returns the class itself, as with the official package. The class carries the named exports.
Object.assign(AgonesSDK, { AgonesSDK, default: AgonesSDK })

export { AgonesSDK, AgonesSDK as default, AgonesSDK as 'module.exports' }

export type { AgonesSDKOptions, Beta } from './agones-sdk.js'
export type { AgonesSDKError } from './errors.js'
export type { GameServer } from './game-server.js'
