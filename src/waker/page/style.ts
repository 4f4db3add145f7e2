/** The page's sheet: large, quiet, dark where the system is. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fbfbfd; --text: #1c1b29; --quiet: #5e5c72; --line: #e4e3ec; --accent: #4a41b8; --on-accent: #fff; --trouble: #8a4b00;
  font: 1.25rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root { --ground: #101017; --text: #ecebf5; --quiet: #a3a1b8; --line: #292836; --accent: #aca4ff; --on-accent: #17152a; --trouble: #f2bb66; }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--ground); color: var(--text); overflow-wrap: anywhere; }
main { max-width: 38rem; min-height: 100vh; margin: auto; padding: 16vh 1.5rem 2rem; outline: 0; display: flex; flex-direction: column; align-items: flex-start; gap: 1.25rem; }
svg { width: 3rem; height: 3rem; }
h1 { margin: 0 0 .5rem; font-size: 2rem; line-height: 1.2; font-weight: 650; }
p { margin: 0 0 .5rem; }
.place, #details { font-size: .9rem; color: var(--quiet); }
#details { width: 100%; padding-top: 1rem; border-top: 1px solid var(--line); }
#details:empty { display: none; }
time { font-weight: 650; white-space: nowrap; }
code { direction: ltr; unicode-bidi: isolate; font: .95em ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; color: var(--text); }
#bar { width: 100%; height: .5rem; border-radius: .25rem; background: var(--line); overflow: hidden; }
#filling { height: 100%; width: 0; border-radius: inherit; background: var(--accent); transition: width 1s linear; }
#bar:not([aria-valuenow]) #filling { width: 30%; animation: move 2.4s ease-in-out infinite alternate; }
@keyframes move { to { transform: translateX(233%); } }
.trouble { color: var(--trouble); }
button { font: inherit; font-weight: 650; min-height: 3.25rem; padding: .5rem 1.75rem; border: 0; border-radius: .75rem; background: var(--accent); color: var(--on-accent); cursor: pointer; }
:focus-visible { outline: 3px solid var(--text); outline-offset: 3px; }
@media (prefers-reduced-motion: reduce) { #filling { transition: none; animation: none !important; } }
`
  .replaceAll(/\s+/g, ' ')
  .replaceAll(/ ?([{};,]) ?|(:) /g, '$1$2')
