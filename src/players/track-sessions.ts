import { SidecarError, type SidecarClient } from '../index.js'
import type { Sessions, SessionsOptions } from './types.js'

export function trackSessions<Int = number>(client: SidecarClient<Int>, options: SessionsOptions<Int>): Sessions<Int> {
  throw new SidecarError('UNIMPLEMENTED', `Not built yet: ${typeof client}, ${typeof options}`)
}
