import { AgonesSDK } from './agones-sdk.js'

/** `require()` gives the class itself, as the official package does; the names of an import are on it. */
export default Object.assign(AgonesSDK, { AgonesSDK, default: AgonesSDK })
