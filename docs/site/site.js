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
    let loading;

    document.documentElement.classList.add('scripted');
    const current = nav.querySelector('[aria-current]');
    if (current) {
        // after scrollIntoView, the first Tab would begin at the link
        site.scrollTop = current.offsetTop + 2 * current.offsetHeight - site.clientHeight;
    }

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

    // once, when the search is first used
    function loaded() {
        return loading ||= new Promise((resolve, reject) => {
            const script = document.createElement('script');
            script.src = site.dataset.root + '_site/search-text.js';
            script.onload = resolve;
            script.onerror = reject;
            document.head.append(script);
        });
    }

    function wordsOf(text) {
        return text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(word => word);
    }

    // the words where they begin a word, also in another form: "limits" finds "limit" and "limiting"
    function beginnings(words) {
        const stems = words.map(word => word.length > 3 ? word.replace(/(ies|ing|ers?|ed|es|y|s)$/, '') : word);
        return new RegExp('(?<![\\p{L}\\p{N}])((?:' + stems.join('|') + ')[\\p{L}\\p{N}]*)', 'giu');
    }

    // rarer words count more, as do the word itself, titles, and short sections
    function scores(word) {
        const places = beginnings([word]);
        const part = text => {
            const count = (text.match(places) ?? []).reduce((sum, found) => sum + (found.toLowerCase() === word ? 4 : 1), 0);
            return count / (count + 4 + text.length / 500);
        };
        const parts = sections.map(section => 3 * part(section.page) + 2 * part(section.section || section.page)
            + part(section.text));
        const rarity = Math.log(1 + sections.length / (1 + parts.filter(Boolean).length)) ** 2;
        return parts.map(each => each * rarity);
    }

    function search(words) {
        const byWord = words.map(scores);
        const hits = sections.map((section, i) => ({ section, score: byWord.reduce((sum, each) => sum + each[i], 0) }));
        const best = Math.max(...hits.map(hit => hit.score));
        return hits.filter(hit => hit.score > best / 3).sort((one, other) => other.score - one.score).slice(0, 12)
            .map(hit => hit.section);
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

    query.addEventListener('focus', loaded);
    query.addEventListener('input', async () => {
        await loaded();
        const words = wordsOf(query.value);
        show(words.length ? search(words) : [], words);
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
