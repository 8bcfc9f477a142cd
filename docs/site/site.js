// The menu of narrow screens, and the search. The search needs no server: it loads scripts only.
(function () {
    'use strict';
    const site = document.getElementById('site');
    const menu = site.querySelector('.site-menu');
    const nav = document.getElementById('site-nav');
    const query = document.getElementById('site-query');
    const found = document.getElementById('site-found');
    const results = document.getElementById('site-results');
    const sections = [];
    let index;

    document.documentElement.classList.add('scripted');
    nav.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });

    function showMenu(shown) {
        menu.setAttribute('aria-expanded', shown);
        site.classList.toggle('open', shown);
    }

    menu.addEventListener('click', () => showMenu(menu.getAttribute('aria-expanded') !== 'true'));

    document.addEventListener('keydown', event => {
        const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
        if (event.key === '/' && !typing) {
            event.preventDefault();
            query.focus();
        } else if (event.key === 'Escape' && site.contains(event.target)) {
            query.value = '';
            show([]);
            showMenu(false);
        }
    });

    window.searchPage = page => page.sections.forEach(section => sections.push({
        url: page.url + (section.id ? '#' + section.id : ''),
        page: page.sections[0].title,
        section: section.id ? section.title : '',
        text: section.text
    }));

    function load(file) {
        return new Promise((resolve, reject) => {
            const script = document.createElement('script');
            script.src = site.dataset.root + '_site/' + file;
            script.onload = resolve;
            script.onerror = reject;
            document.head.append(script);
        });
    }

    // once, when the search is first used
    function indexed() {
        return index ||= Promise.all([load('lunr.js'), load('search-text.js')]).then(() => {
            lunr.tokenizer.separator = /[^\p{L}\p{N}]+/u;
            return lunr(function () {
                this.ref('id');
                this.field('page', { boost: 6 });
                this.field('section', { boost: 4 });
                this.field('text');
                sections.forEach((section, id) => this.add({ id, ...section }));
            });
        });
    }

    function wordsOf(text) {
        return text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(word => word && lunr.stopWordFilter(word));
    }

    // Each word may also be the beginning of a longer one. If no section has all words, those with most of them count.
    function search(words) {
        const matches = presence => index.then(built => built.query(q => words.forEach(word => {
            const stem = lunr.stemmer(new lunr.Token(word)).toString();
            q.term(stem, { boost: 10 });
            q.term(stem, { wildcard: lunr.Query.wildcard.TRAILING, presence });
        })));
        return matches(lunr.Query.presence.REQUIRED)
            .then(all => all.length ? all : matches(lunr.Query.presence.OPTIONAL))
            .then(all => all.slice(0, 12).map(match => sections[match.ref]));
    }

    // the words where they begin a word, as the search finds them
    function beginnings(words) {
        return new RegExp('(?<![\\p{L}\\p{N}])(' + words.join('|') + ')', 'giu');
    }

    function excerpt(text, words) {
        const hits = words.map(word => text.search(beginnings([word]))).filter(hit => hit >= 0);
        const from = Math.max(0, Math.min(...hits, text.length) - 40);
        const start = from && hits.length ? text.indexOf(' ', from) + 1 : 0;
        const end = text.indexOf(' ', start + 140);
        return (start ? '… ' : '') + (end < 0 ? text.slice(start) : text.slice(start, end) + ' …');
    }

    function marked(text, words) {
        const line = document.createElement('span');
        text.split(beginnings(words)).forEach((part, i) => {
            const node = i % 2 ? document.createElement('mark') : document.createElement('span');
            node.textContent = part;
            line.append(node);
        });
        return line;
    }

    function show(hits, words = []) {
        site.classList.toggle('searching', words.length > 0);
        found.textContent = words.length && !hits.length ? 'Nothing found.' : '';
        results.replaceChildren(...hits.map(hit => {
            const item = document.createElement('li');
            const link = document.createElement('a');
            const title = document.createElement('b');
            link.href = site.dataset.root + hit.url;
            title.textContent = hit.page + (hit.section ? ' › ' + hit.section : '');
            link.append(title, marked(excerpt(hit.text, words), words));
            item.append(link);
            return item;
        }));
    }

    query.addEventListener('focus', indexed);
    query.addEventListener('input', async () => {
        await indexed();
        const asked = query.value;
        const words = wordsOf(asked);
        const hits = words.length ? await search(words) : [];
        if (asked === query.value) {
            show(hits, words);
        }
    });
    query.addEventListener('keydown', event => {
        const first = results.querySelector('a');
        if (event.key === 'Enter' && first) {
            first.click();
        } else if (event.key === 'ArrowDown' && first) {
            event.preventDefault();
            first.focus();
        }
    });
    results.addEventListener('keydown', event => {
        const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key];
        if (step) {
            event.preventDefault();
            const item = event.target.closest('li')[step];
            (item ? item.querySelector('a') : query).focus();
        }
    });
    results.addEventListener('click', () => {
        show([]);
        showMenu(false);
    });
})();
