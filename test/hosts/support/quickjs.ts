import { getQuickJS } from 'quickjs-emscripten'
import type { Guest } from './guest.js'

export async function createQuickJs(): Promise<Guest> {
  const vm = (await getQuickJS()).newContext()
  let disposed = false
  const run = (code: string): void => vm.unwrapResult(vm.evalCode(code)).dispose()
  return {
    run(code) {
      if (!disposed) run(code)
    },
    define(name, take) {
      vm.newFunction(name, (text) => take(vm.getString(text))).consume((handle) => vm.setProp(vm.global, name, handle))
    },
    read: (name) =>
      vm
        .getProp(vm.global, name)
        .consume((handle) => (vm.typeof(handle) === 'undefined' ? undefined : vm.getString(handle))),
    settle() {
      if (!disposed) vm.unwrapResult(vm.runtime.executePendingJobs())
    },
    dispose() {
      disposed = true
      vm.dispose()
    },
  }
}
