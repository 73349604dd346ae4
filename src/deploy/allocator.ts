export { createAllocator } from './allocator/create-allocator.js'
export { AllocationError } from './allocator/errors.js'
export { createAutoscaler } from './autoscaler/create-autoscaler.js'
export { byQueue, scaleToZero } from './autoscaler/deciders.js'

export type { AllocationErrorCode } from './allocator/errors.js'
export type {
  AllocateRequest,
  Allocation,
  Allocator,
  AllocatorOptions,
  Endpoint,
  WayOptions,
} from './allocator/types.js'
export type { Autoscaler, AutoscalerOptions, Decide, ReviewedFleet, ReviewRequest } from './autoscaler/types.js'
