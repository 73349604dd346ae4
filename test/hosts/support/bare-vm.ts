import vm from 'node:vm'
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
