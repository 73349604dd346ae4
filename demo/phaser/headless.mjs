/**
 * What Phaser asks of a browser, for its HEADLESS renderer in Node: jsdom, a 2D context that draws nothing, and images
 * that count as loaded at once (Phaser's boot waits for three built-in textures, without a word). Import it before
 * Phaser.
 */
import { JSDOM } from 'jsdom'

const { window } = new JSDOM('<!doctype html><body></body>', {
  // requestAnimationFrame, 60 times a second
  pretendToBeVisual: true,
  url: 'http://localhost/',
})

// Whatever is asked of the context is a function that does nothing; what is asked for pixels gets some.
const context = new Proxy({}, {
  get: (target, name) => target[name] ?? ((_x, _y, width = 1, height = 1) =>
    ({ data: new Uint8ClampedArray(4 * width * height), width, height, addColorStop() {} })),
})
window.HTMLCanvasElement.prototype.getContext = (type) => type === '2d' ? context : null
window.HTMLCanvasElement.prototype.toDataURL = () => ''

Object.defineProperty(window.HTMLImageElement.prototype, 'src', {
  set() {
    queueMicrotask(() => this.onload?.(new window.Event('load')))
  },
})

window.focus = () => {}

const names = ['window', 'document', 'navigator', 'screen', 'Image', 'Element', 'HTMLElement', 'HTMLCanvasElement',
  'HTMLImageElement', 'HTMLVideoElement', 'requestAnimationFrame', 'cancelAnimationFrame']
for (const name of names) {
  // Defined, since newer versions of Node have a `navigator` that can't be assigned to.
  Object.defineProperty(globalThis, name, { value: window[name], configurable: true, writable: true })
}

/** Ends jsdom's timers, so that the process can end. */
export function closeWindow() {
  window.close()
}
