# Adds the navigation of nav.adoc to every rendered page, and writes the text of all pages for the search.
# Links are relative, so that the pages also work when they are opened from disk.

require 'asciidoctor'
require 'asciidoctor/extensions'
require 'cgi'
require 'fileutils'
require 'json'
require 'pathname'

class Navigation < Asciidoctor::Extensions::Postprocessor
  LINE = /^(\*+) (?:xref:([^\[]+)\.adoc\[(.+)\]|(.+))$/
  HEADING = /<h[1-4](?: id="([^"]*)")?[^>]*>(.*?)<\/h[1-4]>/m

  # of the class, as each page has an instance of its own
  @@written = false

  Entry = Struct.new(:title, :page, :children) do
    def leads_to?(page)
      self.page == page || children.any? { |child| child.leads_to?(page) }
    end
  end

  def process document, output
    pages = Pathname.new(document.attr('site-pages'))
    page = Pathname.new(document.attr('docfile')).relative_path_from(pages).sub_ext('').to_s
    root = '../' * page.count('/')
    append(document.attr('site-output'), page, output) unless page.start_with?('includes/')
    output.sub('</head>', %(<link rel="stylesheet" href="#{root}_site/site.css">\n</head>))
          .sub(/<body[^>]*>/) { |body| body + frame(tree(pages.join('../nav.adoc').read), page, root) }
          .sub('</body>', %(<script src="#{root}_site/site.js"></script>\n</body>))
  end

  private

  def tree(nav)
    path = [Entry.new('', nil, [])]
    nav.scan(LINE) do |stars, page, title, group|
      entry = Entry.new(title || group, page, [])
      path = path.take(stars.length)
      path.last.children << entry
      path << entry
    end
    path.first.children
  end

  def frame(entries, page, root)
    <<~HTML
      <a class="skip" href="#content">Skip to the content</a>
      <div id="site" data-root="#{root}">
      <div class="site-bar"><a class="site-title" href="#{root}index.html">Quarkus Rate Limit</a>
      <button type="button" class="site-menu" aria-controls="site-nav" aria-expanded="false">Menu</button></div>
      <div class="site-search" role="search"><input type="search" id="site-query" placeholder="Search ( / )" aria-label="Search the documentation" autocomplete="off" spellcheck="false">
      <p id="site-found" role="status"></p><ol id="site-results"></ol></div>
      <nav id="site-nav" aria-label="Pages">#{list(entries, page, root)}</nav>
      </div>
    HTML
  end

  def list(entries, page, root)
    items = entries.map do |entry|
      title = CGI.escapeHTML(entry.title)
      if entry.page
        current = entry.page == page ? ' aria-current="page"' : ''
        %(<li><a href="#{root}#{entry.page}.html"#{current}>#{title}</a></li>)
      else
        open = entry.leads_to?(page) ? ' open' : ''
        %(<li><details#{open}><summary>#{title}</summary>#{list(entry.children, page, root)}</details></li>)
      end
    end
    "<ul>#{items.join}</ul>"
  end

  # One call per page: browsers load scripts from disk, but no JSON.
  def append(folder, page, output)
    FileUtils.mkdir_p(folder)
    call = "searchPage(#{JSON.generate('url' => page + '.html', 'sections' => sections(output))});\n"
    File.write(File.join(folder, 'search-text.js'), call, mode: @@written ? 'a' : 'w')
    @@written = true
  end

  def sections(output)
    content = output[/<div id="header">.*(?=<div id="footer">)/m].gsub(/<(style|script)\b.*?<\/\1>/m, '')
    _, *parts = content.split(/(?=<h[1-4][ >])/)
    parts.map do |part|
      id, title = part.match(HEADING).captures
      { 'id' => id, 'title' => text(title), 'text' => text(part.sub(HEADING, '')) }
    end
  end

  def text(html)
    CGI.unescapeHTML(html.gsub(/<[^>]+>/, ' ')).gsub(/\s+([.,:;)])/, '\1').gsub(/\s+/, ' ').strip
  end
end

Asciidoctor::Extensions.register { postprocessor Navigation }
