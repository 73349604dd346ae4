// A hidden page's timers are held back, a worker's aren't, and messages from one to the other aren't either.
onmessage = ({ data: milliseconds }) => {
  setInterval(() => postMessage(0), milliseconds)
}
