/** The page: readable at the width of a desk, of a telephone, and on A4 paper laid across. */
const SCREEN = `
*{box-sizing:border-box}
html{color-scheme:light;-webkit-text-size-adjust:100%}
body{margin:0;background:#fff;color:#20262e;font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}
main{max-width:1100px;margin:0 auto;padding:40px 24px 64px;overflow-wrap:break-word}
h1{font-size:30px;line-height:1.2;margin:0 0 6px;letter-spacing:-.01em}
h2{font-size:21px;line-height:1.3;margin:0 0 4px}
p{margin:0 0 12px;max-width:76ch}
a{color:#14539a;text-underline-offset:2px}
.subtitle{color:#525c68;font-size:17px}
.count{font-size:17px;font-weight:600;margin:22px 0 10px}
.aside{color:#5a6470;font-size:.92em}
table{border-collapse:collapse;font-size:14px;line-height:1.45;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:8px 12px 8px 0;border-bottom:1px solid #e1e5ea}
th{font-weight:600;color:#525c68;border-bottom:2px solid #c3cad2;vertical-align:bottom}
th:last-child,td:last-child{padding-right:0}
.number{text-align:right;padding-left:10px}
.verdicts{width:100%;table-layout:fixed}
.verdicts td{padding-right:20px}
.verdicts tr:target{background:#fff8e1}
.c1{width:25%}.c2{width:24%}.c3{width:37%}.c4{width:14%}
.claim b{white-space:nowrap;margin-right:3px}
.note{margin-top:4px;font-style:italic;color:#434c57}
.pill{display:inline-block;white-space:nowrap;border-radius:99px;padding:1px 10px 1px 8px;font-size:13px;line-height:20px;font-weight:600;border:1px solid}
.pill+.aside{margin-top:5px}
.yes{background:#e2f3ea;color:#0b5c3b;border-color:#a9d8bf}
.part{background:#fdf1d3;color:#704c00;border-color:#e8cf8c}
.no{background:#fbe4e3;color:#93211b;border-color:#ebb5b1}
nav{margin:36px 0 0}
nav ol{columns:2;column-gap:40px;padding-left:24px;margin:8px 0 0;font-size:15px}
nav li{break-inside:avoid;margin-bottom:4px}
.origin{margin:36px 0 0}
pre{margin:8px 0 12px;padding:10px 14px;background:#f5f7f9;border:1px solid #e1e5ea;border-radius:6px;overflow-x:auto;font:14px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
dl{display:grid;grid-template-columns:1fr 1fr;gap:3px 40px;margin:0;font-size:14px}
dl div{display:flex;gap:12px;min-width:0}
dt{flex:0 0 110px;color:#5a6470}
dd{margin:0;min-width:0;overflow-wrap:anywhere}
section{margin-top:52px;padding-top:24px;border-top:1px solid #d4dae1}
.paper{color:#5a6470;font-size:14px;margin-bottom:10px}
.decides{list-style:none;margin:0 0 14px;padding:0;font-size:14px;max-width:100ch}
.decides li{margin-bottom:5px;display:grid;grid-template-columns:146px minmax(0,1fr);align-items:baseline}
.decides .pill{justify-self:start}
.files{font-size:14px;margin-top:16px}
figure{margin:26px 0 32px}
.figure-title{font-weight:600;font-size:16px;margin-bottom:4px}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:2px 20px;margin:0 0 12px;padding:0;font-size:13.5px}
.legend li{display:flex;align-items:center;gap:7px}
.legend svg{flex:none}
.panels{display:grid;gap:20px 26px;align-items:start}
.columns-2{grid-template-columns:repeat(2,minmax(0,1fr))}
.columns-3{grid-template-columns:repeat(3,minmax(0,1fr))}
.columns-1{grid-template-columns:minmax(0,1fr)}
.panel{min-width:0}
.panel svg{display:block;max-width:100%;height:auto}
figcaption{margin-top:12px;font-size:14.5px;max-width:90ch;color:#353d47}
.spread{color:#5a6470}
.scroll{overflow-x:auto;margin:0 0 26px}
.scroll th,.scroll td{padding-right:18px}
.scroll td:first-child{min-width:110px}
caption{text-align:left;font-weight:600;font-size:15px;padding-bottom:4px}
`;

/** Panels below each other, claims as cards; only what cannot be folded scrolls, and by itself. */
const NARROW = `
@media screen and (max-width:760px){
main{padding:22px 16px 40px}
h1{font-size:24px}
.columns-2,.columns-3,dl{grid-template-columns:minmax(0,1fr)}
nav ol{columns:1}
.decides li{display:block;margin-bottom:8px}
.scroll table{width:max-content;max-width:900px}
.finished{overflow-x:auto}
.finished svg{min-width:640px}
.verdicts,.verdicts tbody,.verdicts tr,.verdicts td{display:block;width:auto}
.verdicts thead,.verdicts colgroup{display:none}
.verdicts tr{border:1px solid #d9dfe6;border-radius:8px;padding:10px 14px;margin-bottom:12px}
.verdicts td{border:0;padding:3px 0}
.verdicts tr{display:flex;flex-direction:column}
.verdicts td:last-child{order:-1;display:flex;flex-wrap:wrap;gap:4px 12px;align-items:baseline;padding-bottom:5px}
.verdicts td[data-name]::before{content:attr(data-name);display:block;color:#5a6470;font-size:12.5px;font-weight:600}
.claim{font-size:15px}
}
`;

const PRINT = `
@page{size:A4 landscape;margin:12mm}
@media print{
body{font-size:10.5pt;-webkit-print-color-adjust:exact;print-color-adjust:exact}
main{max-width:none;padding:0}
nav{display:none}
a{color:inherit;text-decoration:none}
h1{font-size:20pt}
h2,caption,.figure-title,.legend,.paper{break-after:avoid}
thead{display:table-header-group}
tr,figure,.panel,.origin,li{break-inside:avoid}
section{margin-top:0;padding-top:0;border-top:0;break-before:page}
table,.verdicts{font-size:8.5pt}
.pill{font-size:8pt;line-height:13pt}
figure{margin:10px 0 18px}
.long{break-inside:auto}
.rows{width:86%}
.panel svg{max-height:160mm}
p,figcaption{max-width:115ch}
.scroll{overflow:visible}
pre{white-space:pre-wrap}
}
`;

export const PAGE_STYLE = (SCREEN + NARROW + PRINT).replaceAll('\n', '');
