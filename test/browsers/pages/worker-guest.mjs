import { allOperations } from './all-operations.mjs'

export function answer(port, { createClient }, options) {
  Promise.resolve().then(() => allOperations(createClient(options))).then(
    (outcome) => port.postMessage({ outcome }),
    (error) => port.postMessage({ error: String(error && error.stack) + ' ' + (error && error.hint) }))
}
