import { SidecarError } from '../index.js'

export function sidecarPlugin(server: object): never {
  throw new SidecarError('UNIMPLEMENTED', `Not built yet: ${typeof server}`)
}
