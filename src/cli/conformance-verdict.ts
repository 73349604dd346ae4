import type { ConformanceResult } from '../sidecar/index.js'

/** Sums up a conformance run in one sentence: which operations are missing and which were not expected. */
export function conformanceVerdict(result: ConformanceResult): string {
  if (result.ok) return `Conformance passed: ${result.expected.join(', ')}.`
  const parts = [
    result.missing.length > 0 ? `never used: ${result.missing.join(', ')}` : '',
    result.unexpected.length > 0 ? `used and not expected: ${result.unexpected.join(', ')}` : '',
    ...result.problems,
  ]
  return `Conformance failed: ${parts.filter((part) => part !== '').join('; ')}.`
}
