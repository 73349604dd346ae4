import { host, tryTo, type WorkerLike } from '../runtime/host.js'
import type { Scope } from '../runtime/scope.js'
import type { FetchInit } from '../types.js'

/**
 * The page's message to the worker, with each sign of life. It holds everything, so nothing must be kept in step.
 */
export type Sign = [
  /** ms since the sign that counts was given */
  silence: number,
  /** Why no beat may go out. */
  hold: string | undefined,
  stallTimeout: number,
  /** ms between beats */
  rhythm: number,
  /** ms between two looks, of which a whole number make a rhythm; NaN for a rhythm without an end */
  step: number,
  /** Whether a beat is due at once. */
  isDue: boolean,
  url: string,
  init: FetchInit,
]

/**
 * The worker's message to the page. An empty one asks for a sign of life. Others hold the time (ms since the Unix
 * epoch) and the reason why no beat went out, or the answer to one: status 0 where none came or none may be read, and
 * the mode in which a beat was sent that failed.
 */
export type Report = [at?: number, reasonOrStatus?: string | number, text?: string, mode?: string]

/**
 * The worker's program. It is text, and no function turned into text, because bundlers, obfuscators, compilers to older
 * syntax and coverage tools put names into functions that a worker doesn't have; and it is smaller so.
 *
 * `l`: when it last looked. `s` `c` `m` `r` `w` `j` `u` `o`: the last sign, `s` the page's silence. `f`: ms since the last
 * beat. `b`: what held back the last one. `n`: the beats in flight. `p`: whether a question is unanswered, and so nobody
 * reads; `v`: when one was.
 */
const program =
  ';s=f=b=n=p=v=u=0;' +
  // It looks at each step and at each sign, of which the first begins the steps.
  'onmessage=k=e=>{' +
  'let q=e&&u,a=Date.now(),t=a-l,i,h;' +
  'l=a;' +
  // A step that comes much too late says that the worker itself was frozen, or that the clock was set: then the page has
  // another chance, and a beat is due.
  't>=0&&t<2e3?(s+=t,f+=t):(s=0,f=1/0);' +
  'if(e)[s,c,m,r,w,j,u,o]=e.data,p=0;' +
  // Whether a beat is due, now or before the next step has come.
  'i=q?j&&f>99:f>r-w*.8;' +
  'h=c||s>=m&&"stalled";' +
  'if(h)(h!=b||i&&!p)&&postMessage([a,h]);' +
  // With the end of what held it back a beat is due at once. Beats never pile up behind a sidecar that doesn't answer: the
  // last but one ends just before the next.
  'else if((i=i||b)&&n<2)' +
  'n++,' +
  'o.signal=AbortSignal.timeout(Math.max(2*r,1e3)-99),' +
  // Of an answer that may not be read, Firefox would find the end only when the page is free again.
  'fetch(u,i=o).then(async r=>[r.status,r.status?await r.text():""])' +
  // Firefox hands a worker no answers while the page is busy: that none has come says nothing then.
  '.catch(e=>v<a&&[0,""+e,i.mode])' +
  '.then(e=>n--&&e&&postMessage([Date.now(),...e]));' +
  'if(i)f=0;' +
  'b=h;' +
  'if(!q)' +
  'if(setTimeout(k,w||500),p)v=a;' +
  'else p=1,postMessage([])' +
  '}'

export interface BeatWorker {
  /** The worker begins with the first sign. */
  post(sign: Sign): void
}

/** Starts the worker. Returns undefined where there can be none. */
export function startBeatWorker(
  life: Scope,
  onReport: (report: Report) => void,
  onFailed: () => void,
): BeatWorker | undefined {
  return tryTo(() => {
    const { Worker, Blob, URL } = host()
    const url = URL!.createObjectURL!(new Blob!([`l=${Date.now()}${program}`]))
    life.onEnd(() => URL!.revokeObjectURL!(url))
    const worker: WorkerLike = new Worker!(url)
    life.onEnd(() => worker.terminate())
    worker.onmessage = ({ data }) => onReport(data)
    worker.onerror = () => {
      worker.terminate()
      onFailed()
    }
    return { post: (sign) => worker.postMessage(sign) }
  })
}
