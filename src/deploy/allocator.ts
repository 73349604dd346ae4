export { createAllocator } from './allocator/create-allocator.js'
export { AllocationError } from './allocator/failures.js'
export { byQueue, createAutoscaler, scaleToZero } from './autoscaler.js'

export type { AllocationErrorCode } from './allocator/failures.js'
export type {
  AllocateRequest,
  Allocation,
  Allocator,
  AllocatorOptions,
  Endpoint,
  WayOptions,
} from './allocator/types.js'
export type { Autoscaler, AutoscalerOptions, Decide, ReviewedFleet, ReviewRequest } from './autoscaler.js'
