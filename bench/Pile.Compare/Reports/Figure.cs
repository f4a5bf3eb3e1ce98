using System;
using System.Globalization;

namespace Pile.Compare.Reports;

/// <summary>Numbers for people: three digits that count.</summary>
internal static class Figure
{
    internal static string Of(double? value)
    {
        if (value is not { } number)
        {
            return "";
        }

        double size = Math.Abs(number);
        string format = size >= 100 ? "#,0" : size >= 10 ? "0.0" : size >= 1 ? "0.00" : size >= 0.1 ? "0.000" : "0.####";
        return number.ToString(format, CultureInfo.InvariantCulture);
    }
}
