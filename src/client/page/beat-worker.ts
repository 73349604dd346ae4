import type { Core } from '../core.js'
import type { Heartbeat, Sign } from '../health/heartbeat.js'
import { host, tryTo } from '../host.js'
import { onAbort } from '../signals.js'

/**
 * The worker's message to the page. An empty one asks for a sign of life. Others report a beat that the worker
 * sent in place of the page, or why the worker sends none: when (ms since the Unix epoch), and the reason.
 */
type Report = [at?: number, reason?: string]

/**
 * The worker's program: an unthrottled clock, and beats in place of a page that is too busy to send its own. It is
 * text, and no function turned into text, because bundlers, obfuscators, compilers to older syntax and coverage tools put
 * names into functions that a worker doesn't have.
 *
 * `d` `m` `r` `w`: the last sign, of which `d` and `m` count down; `u` `o`: how to beat; `p`: whether a question is
 * unanswered.
 */
const program =
  // The first sign starts the clock.
  'let p;onmessage=e=>{[d,m,r,w,u,o]=e.data;p==null&&setTimeout(k,w);p=0};' +
  // Counts steps instead of time, so that a freeze of both page and worker doesn't count as silence.
  'k=()=>{d-=w;m-=w;' +
  'if(p)' +
  'if(m>0){' +
  'if(d<w/2)' +
  'd+=r,' +
  // Abort the previous beat first: beats never pile up behind a sidecar that doesn't answer.
  'o.signal=AbortSignal.timeout(2*r-w|0),' +
  'fetch(u,o).then(e=>e.status>299||postMessage([Date.now()]),()=>{})' +
  '}else m>-w&&postMessage([Date.now(),"stalled"]);' +
  'p=p||(postMessage([]),1);' +
  'setTimeout(k,w)}'

/** Starts the worker, if the host has workers. */
export function startBeatWorker(
  { life, timers, baseUrl, direct, options }: Core,
  heartbeat: Heartbeat,
  sign: (maySend: boolean) => Sign,
): void {
  tryTo(() => {
    const { Worker, Blob, URL } = host()
    const url = URL!.createObjectURL!(new Blob!([program]))
    const worker = new Worker!(url)
    const end = (): void => {
      worker.terminate()
      URL!.revokeObjectURL!(url)
    }
    // A worker can't use a custom fetch: then the worker only keeps time.
    const post = (): void => worker.postMessage([...sign(!options.fetch), baseUrl + '/health', direct.postInit()])
    onAbort(life, end)
    worker.onmessage = ({ data }) => {
      const [at, reason]: Report = data
      if (!options.fetch) heartbeat.sender = 'worker'
      if (at) heartbeat.tell(reason, at)
      timers.tick()
      post()
    }
    worker.onerror = () => {
      end()
      heartbeat.sender = 'page'
    }
    post()
  })
}
