import vm from 'node:vm'
import { getQuickJS } from 'quickjs-emscripten'
import type { Guest } from './guest.js'

/** A V8 context with nothing but the language; `console` too is taken away. */
export function createBareVm(): Guest {
  const context = vm.createContext(Object.create(null) as vm.Context)
  vm.runInContext('delete globalThis.console', context)
  return {
    run: (code) => void vm.runInContext(code, context),
    define(name, take) {
      // Wraps the function in the context's realm, since hosts expose no functions from another realm.
      context['outer'] = take
      vm.runInContext(
        `var ${name} = (function (outer) { return function (text) { outer(String(text)) } })(outer)
        delete globalThis.outer`,
        context,
      )
    },
    read: (name) =>
      vm.runInContext(`typeof ${name} === 'undefined' ? undefined : ${name}`, context) as string | undefined,
    settle() {},
    dispose() {},
  }
}

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
