export { createAllocator } from './allocator/create-allocator.js'
export { AllocationError } from './allocator/errors.js'

export type { AllocationErrorCode } from './allocator/errors.js'
export type {
  AllocateRequest,
  Allocation,
  Allocator,
  AllocatorOptions,
  Endpoint,
  WayOptions,
} from './allocator/types.js'
