import { SidecarError } from '../index.js'

export class AgonesSDK {
  constructor() {
    throw new SidecarError('UNIMPLEMENTED', 'Not built yet')
  }
}
