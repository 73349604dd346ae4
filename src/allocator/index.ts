export { createAllocator } from './create-allocator.js'
export { AllocationError } from './errors.js'

export type { AllocationErrorCode } from './errors.js'
export type { AllocateRequest, Allocation, Allocator, AllocatorOptions } from './types.js'
