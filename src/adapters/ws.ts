import { SidecarError } from '../index.js'

export function attachServer(server: object): never {
  throw new SidecarError('UNIMPLEMENTED', `Not built yet: ${typeof server}`)
}
