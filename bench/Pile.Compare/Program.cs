using System;
using System.Globalization;
using System.IO;
using System.Text.Json;
using Pile.Bench.Reports;
using Pile.Compare.Contestants;
using Pile.Compare.Reports;
using Pile.Compare.Running;
using Pile.Compare.Solo;

// Parent: Pile.Compare [--quick] [--objects N] [--rounds R] [--only w;...] [--without c;...] [--json path]; readme renews the table
// of the README, and the report beside the result, from the result that the README names. The other words are how the parent starts its children.
try
{
    switch (args)
    {
        case ["contestant", string name, string setting, string objects, string operations, string warmMs]:
            Entries.Of(name).Serve(new ChildServer(Number(setting), Number(objects), Number(operations), Number(warmMs)));
            return 0;
        case ["solo", string name, string caseName, string objects]:
            Console.WriteLine(JsonSerializer.Serialize(SoloList.Of(name).Run(caseName, long.Parse(objects, CultureInfo.InvariantCulture))));
            return 0;
        case ["readme"]:
            string readme = Path.Combine(ResultFolder.Root(), "README.md");
            ResultFolder.WriteText(readme, ReadmeTable.Renew(File.ReadAllText(readme), path =>
            {
                string json = Path.Combine(ResultFolder.Root(), path);
                var result = CompareResult.FromJson(File.ReadAllText(json));
                ResultFolder.WriteText(Path.ChangeExtension(json, "md"), Markdown.Of(result));
                return result;
            }));
            return 0;
        default:
            return new CompareCommand(CompareSettings.Parse(args)).Run();
    }
}
catch (Exception exception) when (exception is ArgumentException or InvalidDataException or IOException or InvalidOperationException)
{
    Console.Error.WriteLine(exception.Message);
    return 2;
}

static int Number(string text) => int.Parse(text, CultureInfo.InvariantCulture);
