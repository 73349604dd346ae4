export { createMock } from './mock/create-mock.js'

export type {
  Allocation,
  FailHow,
  FailTarget,
  Mock,
  MockCall,
  MockClientOptions,
  MockOptions,
  MockResponse,
  RestartHow,
} from './mock/types.js'
export type * from './sidecar-types.js'
