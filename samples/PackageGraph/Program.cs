using System;
using System.Threading;
using PackageGraph;
using PackageGraph.Reporting;

return await CommandLine.Build(Run).Parse(args).InvokeAsync().ConfigureAwait(false);

static int Run(RunOptions options, CancellationToken cancel)
{
    var face = new ConsoleFace(options.Json);
    GraphResult result = new GraphRun(options, face, cancel).Run();
    string page = PageFile.Write(options.Page, HtmlPage.Of(result));
    if (options.Result is { } path)
    {
        PageFile.Write(path, result.ToJson() + "\n");
    }

    if (options.Json)
    {
        Console.WriteLine(result.ToJson());
    }
    else
    {
        face.Say();
        face.Say(Summary.Sentence(result));
        face.Say();
        face.Say(Summary.Text(result));
        face.Say($"why: {(result.Why.Count == 0 ? "no way from one to the other" : string.Join(" > ", result.Why))}");
    }

    face.Say($"page: {page}");
    return 0;
}
