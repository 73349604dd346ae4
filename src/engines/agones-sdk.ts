import { AgonesSDK } from './agones-sdk/agones-sdk.js'

// For `require()`, which returns the class itself, as with the official package. The class carries the named exports.
Object.assign(AgonesSDK, { AgonesSDK, default: AgonesSDK })

export { AgonesSDK, AgonesSDK as default }

export type { AgonesSDKOptions, Beta } from './agones-sdk/agones-sdk.js'
export type { AgonesSDKError } from './agones-sdk/errors.js'
export type { GameServer } from './agones-sdk/game-server.js'
